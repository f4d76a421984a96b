"""Recommendations: a table of ratings, of which one in five is known, as the product of what users like and what films have."""
import situ

USERS, FILMS, TASTES = 200, 100, 4
normal, key = situ.random.normal, situ.random.split(situ.random.key(0), 6)
truth = normal(key[0], (USERS, TASTES)) @ normal(key[1], (TASTES, FILMS))  # which the model never sees whole
ratings = truth + 0.1 * normal(key[2], (USERS, FILMS))
known = situ.astype(situ.random.uniform(key[3], (USERS, FILMS)) < 0.2, "float32")


def missed(users, films):
    size = situ.sum(users**2) + situ.sum(films**2)
    return situ.sum(((users @ films - ratings) * known) ** 2) + 0.1 * size


users, films = situ.variable(0.3 * normal(key[4], (USERS, TASTES))), situ.variable(0.3 * normal(key[5], (TASTES, FILMS)))
for step in range(61):
    if step % 20 == 0:  # over all ratings, known or not
        error = float(situ.sqrt(situ.mean((users @ films - truth) ** 2)))
        print(f"step {step:3d}: off by {error:.2f} on average")
    for p, g in zip((users, films), situ.grad(missed, argnums=(0, 1))(users, films)):
        situ.assign(p, p - 0.01 * g)
assert error < 0.7
