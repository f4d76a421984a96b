/* Regression from a CSV file, judged by k folds: columns by name, a column of text, an error of one's own that steps log. */
#include <math.h>
#include <situ.h>

enum { FOLDS = 4 };

/* Numbers of a table and the category of each row, which is a vector that is learnt. */
static situ_tensor *step(situ_trainer *trainer, situ_module *net, const situ_batch *batch, void *self)
{
    (void)self;
    situ_tensor *kind = situ_one_hot(batch->field[1], 3, .dtype = SITU_F32);
    situ_tensor *price = situ_module_call(net, situ_concat(TENSORS(batch->field[0], kind), .axis = 1));
    situ_tensor *error = situ_sub(price, batch->field[2]);
    situ_trainer_log(trainer, "mae", situ_mean(situ_abs(error)));
    return situ_mean(situ_square(error));
}

/* Prices of flats by area, rooms and city. */
static int write_table(const char *path)
{
    static const char *const city[] = {"Aachen", "Berlin", "Cologne"};
    FILE *file = fopen(path, "w");
    if (!file) return 1;
    fprintf(file, "area,rooms,city,price\n");
    for (int i = 0; i < 300; i++) {
        double area = 20 + i * 37 % 100, rooms = 1 + i * 7 % 4;
        fprintf(file, "%g,%g,%s,%g\n", area, rooms, city[i % 3], 0.03 * area + 0.2 * rooms + i % 3);
    }
    return fclose(file);
}

int main(void)
{
    if (write_table("flats.csv")) return 1;
    situ_dataset *data = situ_csv("flats.csv", .inputs = "area,rooms,city", .targets = "price");
    remove("flats.csv");
    situ_dataset_standardize(data, data);
    double sum = 0;
    for (int fold = 0; fold < FOLDS; fold++) {
        situ_dataset *train = NULL, *held_out = NULL;
        situ_dataset_fold(data, 0, fold, FOLDS, &train, &held_out);
        situ_module *net = situ_sequential(situ_linear_layer(16), situ_relu_layer(), situ_linear_layer(1));
        situ_optimizer *adam = situ_adam(net, .lr = 0.01);
        situ_trainer *trainer = situ_trainer_new(.max_epochs = 30, .batch = 16, .step = step);
        situ_trainer_fit(trainer, net, adam, train, held_out);
        double mae = situ_trainer_value(trainer, "validation mae");
        printf("fold %d: mean absolute error %.3f\n", fold, mae);
        sum += mae / FOLDS;
        situ_trainer_free(trainer);
        situ_optimizer_free(adam);
        situ_module_free(net);
        situ_dataset_free(train);
        situ_dataset_free(held_out);
    }
    printf("mean of %d folds: %.3f\n", FOLDS, sum);
    situ_dataset_free(data);
    if (situ_failed()) fprintf(stderr, "%s\n", situ_error_message());
    return situ_failed() || !(sum < 0.3);
}
