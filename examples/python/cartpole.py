"""A pole on a cart, pushed left or right: the task of Barto, Sutton and Anderson (1983), with the numbers of Gymnasium's CartPole-v1."""
import math
import random


class Cart:
    LIMIT = 500  # steps of an episode at most

    def __init__(self):
        self.reset()

    def reset(self):
        self.state = [random.uniform(-0.05, 0.05) for _ in range(4)]  # position, speed, angle, its speed
        self.steps = 0

    @property
    def fallen(self):
        return abs(self.state[0]) > 2.4 or abs(self.state[2]) > 0.2095

    def push(self, right):
        """For 0.02 s; is the episode over?"""
        x, v, angle, w = self.state
        c, s = math.cos(angle), math.sin(angle)
        pull = ((10 if right else -10) + 0.05 * w * w * s) / 1.1
        turn = (9.8 * s - c * pull) / (0.5 * (4 / 3 - 0.1 * c * c / 1.1))
        self.state = [x + 0.02 * v, v + 0.02 * (pull - 0.05 * turn * c / 1.1), angle + 0.02 * w, w + 0.02 * turn]
        self.steps += 1
        return self.steps == self.LIMIT or self.fallen
