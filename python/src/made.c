/* The tables of functions that are made from the public headers. Made by scripts/generate.py. */
#include "binding.h"

extern PyMethodDef made_move_methods[], made_reduce_methods[], made_function_methods[], made_network_methods[], made_nn_methods[], made_activation_methods[], made_data_methods[], made_optim_methods[], made_create_methods[], made_train_methods[], made_fft_methods[], made_index_methods[], made_linalg_methods[], made_metric_methods[], made_sequence_methods[], made_random_methods[], made_window_methods[];
PyMethodDef *const made_tables[] = {
    made_move_methods, made_reduce_methods, made_function_methods, made_network_methods, made_nn_methods, made_activation_methods, made_data_methods, made_optim_methods, made_create_methods, made_train_methods, made_fft_methods, made_index_methods, made_linalg_methods, made_metric_methods, made_sequence_methods, made_random_methods, made_window_methods, NULL};
