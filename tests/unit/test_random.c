/* Random numbers are JAX's: figures made with jax 0.10.2 and jax_threefry_partitionable false. */
#include "values.h"

TEST(uniform_of_the_chapter)
{
    static const float expected[] = {0.57450044f, 0.09968603f, 0.7419659f, 0.8941783f, 0.59656656f, 0.45325184f};
    IN_SCOPE {
        float x[6];
        CHECK_EQ(situ_read(situ_uniform(situ_key(0), SHAPE(2, 3)), x, sizeof x), 0);
        for (int i = 0; i < 6; i++) CHECK(x[i] == expected[i]);
    }
}

TEST(ranges_and_shapes)
{
    IN_SCOPE {
        situ_tensor *key = situ_key(7);
        CHECK(situ_item(situ_min(situ_uniform(key, SHAPE(1000), .low = -2, .high = 3))) >= -2);
        CHECK(situ_item(situ_max(situ_uniform(key, SHAPE(1000), .low = -2, .high = 3))) < 3);
        CHECK_NEAR(situ_item(situ_mean(situ_normal(key, SHAPE(10000)))), 0, 0.05);
        CHECK_NEAR(situ_item(situ_std(situ_normal(key, SHAPE(10000)))), 1, 0.05);
        situ_tensor *dice = situ_randint(key, SHAPE(1000), 1, 7);
        CHECK_EQ(situ_item_int(situ_min(dice)), 1);
        CHECK_EQ(situ_item_int(situ_max(dice)), 6);
        CHECK_NEAR(situ_item(situ_mean(situ_bernoulli(key, 0.25, SHAPE(10000)))), 0.25, 0.03);
        IS(situ_sort(situ_permutation(key, 5)), "[0, 1, 2, 3, 4] i64[5]");
        situ_tensor *likely = situ_full(SHAPE(50, 3), F32(0, 100, 0));
        CHECK_EQ(situ_item_int(situ_sum(situ_categorical(key, likely))), 50);
        CHECK_EQ(situ_item_int(situ_sum(situ_random_bits(key, SHAPE(0)))), 0);
        CHECK_OK();
        situ_uniform(situ_zeros(SHAPE(2)), SHAPE(2));
        CHECK_CODE(SITU_BAD_ARGUMENT);
    }
}

TEST(keys)
{
    IN_SCOPE {
        situ_tensor *pair[2];
        CHECK_EQ(situ_split_key(situ_key(0), 2, pair), 0);
        IS(pair[0], "[4146024105, 967050713] u32[2]");
        IS(pair[1], "[2718843009, 1272950319] u32[2]");
        IS(situ_key(1ll << 32 | 5), "[1, 5] u32[2]");
        CHECK_OK();
    }
}

TEST(the_same_on_a_simulated_device)
{
    if (!situ_num_gpus()) SKIP("no GPU, no simulated one");
    IN_SCOPE {
        float a[1001], b[1001];
        CHECK_EQ(situ_read(situ_normal(situ_key(3), SHAPE(1001)), a, sizeof a), 0);
        CHECK_EQ(situ_read(situ_normal(situ_key(3), SHAPE(1001), .device = situ_gpu(0)), b, sizeof b), 0);
        CHECK(!memcmp(a, b, sizeof a));
    }
}
