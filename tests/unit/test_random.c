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

/* Both layouts, key 42. */
TEST(figures_of_both_layouts)
{
    static const struct {
        situ_layout_kind layout;
        const char *normal, *integers, *order, *keys, *classes, *bytes;
    } all[] = {
        {SITU_ORIGINAL, "[0.612265, 1.12259, -0.854413, -0.812733, -0.890405] f32[5]", "[12, 43, 69, 29, 84, 26] i32[6]",
         "[6, 0, 3, 7, 2, 5, 4, 1] i64[8]", "[[2465931498, 3679230171],\n [255383827, 267815257]] u32[2,2]", "[1, 0, 4, 2] i64[4]",
         "[143, 4, 62] u8[3]"},
        {SITU_PARTITIONABLE, "[-0.0283046, 0.467132, 0.295703, 0.153546, -0.124033] f32[5]", "[44, 14, 71, 69, 9, 19] i32[6]",
         "[7, 4, 2, 5, 3, 6, 0, 1] i64[8]", "[[1832780943, 270669613],\n [64467757, 2916123636]] u32[2,2]", "[1, 4, 2, 0] i64[4]",
         "[162, 217, 249] u8[3]"},
    };
    for (int i = 0; i < 2; i++) IN_SCOPE {
        situ_layout_kind old = situ_random_layout(all[i].layout);
        situ_tensor *key = situ_key(42);
        IS(situ_normal(key, SHAPE(5)), all[i].normal);
        IS(situ_randint(key, SHAPE(6), 0, 100), all[i].integers);
        IS(situ_permutation(key, 8), all[i].order);
        IS(situ_split_keys(key, 2), all[i].keys);
        IS(situ_categorical(key, situ_zeros(SHAPE(4, 5))), all[i].classes);
        IS(situ_random_bits(key, SHAPE(3), .dtype = SITU_U8), all[i].bytes);
        IS(situ_fold_in(key, 7), "[2547012911, 1371500959] u32[2]");
        situ_random_layout(old);
        CHECK_OK();
    }
}
