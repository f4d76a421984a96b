"""A planar quadrotor as in examples/quadrotor.h: two rotors, gravity and inertia. It is to fly to a point and to hover there."""
import math
import random

LIMIT = 200  # steps of an episode at most


class Craft:
    """state: position across and up from the aim (m), angle, and their speeds."""

    def __init__(self):
        self.reset()

    def reset(self):
        self.state = [random.uniform(-1, 1) for _ in range(2)] + [random.uniform(-0.5, 0.5) for _ in range(4)]
        self.steps, self.earned = 0, 0.0

    def fly(self, thrust):
        """1 kg, arms of 0.2 m, 0.02 kg m^2, for 0.04 s; a thrust of 0 is half the weight: what it earns, and 1: it is over, 2: out of time."""
        left, right = (4.905 * max(0, 1 + t) for t in thrust)
        place, speed = self.state[:3], self.state[3:]
        force = [-(left + right) * math.sin(place[2]), (left + right) * math.cos(place[2]) - 9.81, 0.2 * (right - left) / 0.02]
        speed = [v + 0.04 * f for v, f in zip(speed, force)]
        place = [p + 0.04 * v for p, v in zip(place, speed)]
        self.state, far = place + speed, math.hypot(*place[:2])
        reward = 0.1 * (math.exp(-2 * far) + 0.5 - 0.1 * abs(place[2]) - 0.02 * abs(speed[2]))
        self.earned += reward
        self.steps += 1
        return reward, 1 if far > 3 or abs(place[2]) > 1.5 else 2 if self.steps == LIMIT else 0
