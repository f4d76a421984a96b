/* Recommendations: a table of ratings, of which one in five is known, as the product of what users like and what films have. */
#include <situ.h>

enum { USERS = 200, FILMS = 100, TASTES = 4, STEPS = 60 };

int main(void)
{
    situ_scope *scope = situ_scope_open();
    /* the truth, which the model never sees whole */
    situ_tensor *key[6];
    situ_key_split_into(situ_key(0), 6, key);
    situ_tensor *truth = situ_matmul(situ_normal(key[0], SHAPE(USERS, TASTES)), situ_normal(key[1], SHAPE(TASTES, FILMS)));
    situ_tensor *ratings = situ_add(truth, situ_mul(situ_normal(key[2], SHAPE(USERS, FILMS)), 0.1));
    situ_tensor *known = situ_cast(situ_less(situ_uniform(key[3], SHAPE(USERS, FILMS)), 0.2), SITU_F32);
    situ_tensor *fixed[3] = {truth, ratings, known};
    situ_eval(TENSORS(fixed[0])), situ_eval(TENSORS(fixed[1])), situ_eval(TENSORS(fixed[2]));

    situ_tensor *p[2] = {situ_variable(situ_mul(situ_normal(key[4], SHAPE(USERS, TASTES)), 0.3)),
        situ_variable(situ_mul(situ_normal(key[5], SHAPE(TASTES, FILMS)), 0.3))};
    for (int step = 0; step <= STEPS && !situ_failed(); step++) {
        situ_scope *turn = situ_scope_open();
        situ_tensor *guess = situ_matmul(p[0], p[1]), *g[2];
        situ_tensor *missed = situ_sum(situ_square(situ_mul(situ_sub(guess, ratings), known)));
        situ_tensor *size = situ_add(situ_sum(situ_square(p[0])), situ_sum(situ_square(p[1])));
        situ_tensor *error = situ_sqrt(situ_mean(situ_square(situ_sub(guess, truth)))); /* over all ratings, known or not */
        if (step % 20 == 0) printf("step %3d: off by %.2f on average\n", step, situ_item(error));
        situ_grad(situ_add(missed, situ_mul(size, 0.1)), TENSORS_OF(p, 2), g);
        for (int i = 0; i < 2; i++) situ_assign(p[i], situ_sub(p[i], situ_mul(g[i], 0.01)));
        situ_scope_close(turn);
    }
    for (int i = 0; i < 2; i++) situ_release(p[i]);
    situ_scope_close(scope);
    if (situ_failed()) fprintf(stderr, "%s\n", situ_error_message());
    return situ_failed();
}
