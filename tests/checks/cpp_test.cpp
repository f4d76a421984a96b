// What situ.hpp promises; run by cpp.sh.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <sstream>
#include <type_traits>

#include <situ.hpp>

static int broken;
#define CHECK(condition) \
    do { \
        if (!(condition)) std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition), broken++; \
    } while (0)

static bool throws_at(int code, const char *text, void (*f)())
{
    try {
        f();
    } catch (const situ::error &e) {
        if (e.code != code || !std::strstr(e.what(), text)) std::printf("%d %s\n", e.code, e.what());
        return e.code == code && std::strstr(e.what(), text) && !situ_failed();
    }
    return false;
}

static void operators()
{
    situ::scope scope;
    situ::tensor x = situ::from_host<float>({1, 2, 3, 4}, {2, 2});
    situ::tensor y = -(2 * x + 1) / 4 - x * true;
    std::vector<float> v = y.read<float>();
    for (int i = 0; i < 4; i++) CHECK(v[static_cast<std::size_t>(i)] == -(2.0f * static_cast<float>(i + 1) + 1) / 4 - static_cast<float>(i + 1));
    CHECK(situ::sum(x).item() == 10);
    CHECK(situ::sum(x, situ::over({0}).keepdims()).dim(0) == 1);
    CHECK(situ::norm(x, situ::over().ord(1)).item() == 10);
    CHECK(situ::matmul(x, situ::transpose(x)).read<float>()[3] == 25);
    CHECK(situ::where(situ::greater(x, 2), x, 0).read<float>()[1] == 0);
    CHECK(situ::arange(0, 5).dtype() == SITU_I64 && situ::full({2}, 1.5).dtype() == SITU_F32);
    std::ostringstream out;
    out << situ::cast(x, SITU_I32);
    CHECK(out.str() == "[[1, 2],\n [3, 4]] i32[2,2] @cpu(0)");
}

static void lifetimes()
{
    situ::scope scope;
    auto make_kept = [] {
        situ::scope inner;
        return situ::kept(situ::ones({3}) * 2);
    };
    situ::kept k = make_kept();
    CHECK((*k).read<float>()[2] == 2);
    CHECK(situ::sum(k + 1).item() == 9);
    auto twice = [](const situ::tensor &x) {
        situ::scope inner;
        situ::tensor y = x * 2;
        return inner.close_with(y);
    };
    CHECK(twice(twice(situ::ones({3}))).read<float>()[1] == 4);
    CHECK(throws_at(SITU_BAD_ARGUMENT, "is gone: its scope was closed", [] {
        situ::tensor gone;
        {
            situ::scope inner;
            gone = situ::ones({3}) + 1;
        }
        gone = gone + 1;
    }));
    situ::variable v(situ::zeros({2}), true, "v");
    {
        situ::scope inner;
        v.assign(v + 1);
    }
    CHECK((*v).read<float>()[1] == 1);
    auto g = situ::grad(situ::sum(situ::square(v)), {v});
    CHECK(g[0].read<float>()[0] == 2);
    static_assert(!std::is_copy_constructible<situ::variable>::value, "a variable has one owner");
}

static void memory()
{
    situ::scope scope;
    CHECK(situ::from_host(std::vector<double>{1, 2}, {2}).dtype() == SITU_F64);
    CHECK(situ::from_host(std::vector<int>{-1, 2}, {2}).read<int>()[0] == -1);
    CHECK(situ::from_host(std::vector<unsigned char>{200}, {1}).dtype() == SITU_U8);
    CHECK(situ::from_host(std::vector<long long>{1}, {1}).dtype() == SITU_I64);
    CHECK(situ::from_host(std::vector<std::complex<float>>{{1, 2}}, {1}).dtype() == SITU_C64);
    CHECK(situ::from_host(std::vector<uint16_t>{0x3c00}, {1}, situ::make().dtype(SITU_F16)).item() == 1);
    CHECK(throws_at(SITU_BAD_DTYPE, "cpp_test.cpp:", [] { situ::from_host(std::vector<int>{1}, {1}, situ::make().dtype(SITU_F32)); }));
    CHECK(throws_at(SITU_BAD_DTYPE, "cpp_test.cpp:", [] { situ::ones({2}).read<int>(); }));
    CHECK(throws_at(SITU_BAD_DTYPE, "cpp_test.cpp:", [] { situ::cast(situ::ones({2}), SITU_I64).read<double>(); }));
    CHECK(throws_at(SITU_BAD_SHAPE, "cpp_test.cpp:", [] { situ::from_host(std::vector<float>{1}, {-1}); }));
}

static void devices()
{
    situ::scope scope;
    if (situ_num_gpus() < 2) situ_sim_gpus(2);
    situ::tensor here = situ::uniform(situ::key(0), {2, 3}), there = situ::uniform(situ::key(0, situ::draw().device(situ::gpu(1))), {2, 3});
    CHECK(situ_device_equal(there.device(), situ::gpu(1)));
    CHECK(here.read<float>() == there.read<float>());
    CHECK(situ::to(here, situ::cpu()).c() == here.c());
    CHECK(throws_at(SITU_BAD_DEVICE, "cpp_test.cpp:", [] { situ::ones({2}, situ::make().device(situ::gpu(0))) + situ::ones({2}); }));
    CHECK(throws_at(SITU_BAD_SHAPE, "cpp_test.cpp:", [] { situ::exp(situ::ones({2})) * situ::ones({3}); }));
}

template <class O> auto has_ord(int) -> decltype(std::declval<O>().ord(1), true) { return true; }
template <class O> bool has_ord(...) { return false; }

static void every_function()
{
    situ::scope scope;
    situ::tensor x = situ::from_host<float>({4, 3, 2, 1}, {1, 1, 2, 2});
    CHECK(situ::conv2d(x, situ::ones({1, 1, 3, 3}), situ::conv_options().padding(1)).shape().dim[2] == 2);
    CHECK(situ::max_pool2d(x, {2, 2}).item() == 4);
    CHECK(situ::softmax(x, situ::softmax_options().axis(0)).read<float>()[0] == 1);
    CHECK(situ::sum(x, situ::sum_options({-1}).keepdims()).dim(3) == 1 && situ::sum(x, {0, 1, 2, 3}).item() == 10);
    CHECK(situ::concat({x, x}, situ::axis_options().axis(1)).dim(1) == 2);
    CHECK(situ::std(situ::reshape(x, {4}), situ::var_options().correction(1)).item() > 1.29);
    CHECK(situ::squeeze(x, {0, 1}).ndim() == 2 && situ::gpu(1).index == 1);
    CHECK(!has_ord<situ::sum_options>(0) && has_ord<situ::norm_options>(0));
    situ_module *net = situ::linear_layer(3, situ::linear_layer_options().in(2));
    situ_optimizer *opt = situ::adamw(net, situ::adamw_options().lr(0.5));
    situ_hyper rows[8];
    CHECK(situ::optimizer_hyper(opt, rows, 8) == 8 && rows[4].value == 0.01 && situ::optimizer_lr(opt) == 0.5);
    CHECK(situ::optimizer_step(opt, situ::mean(situ::module_call(net, situ::ones({1, 2})))) == 0 && situ::optimizer_steps(opt) == 1);
    CHECK(throws_at(SITU_BAD_OPTION, "cpp_test.cpp:", [] { situ::trainer_new(situ::trainer_options().batch(0)); }));
    CHECK(throws_at(SITU_BAD_ARGUMENT, "cpp_test.cpp:", [] { situ::sum(situ::ones({2}), {3}); }));
    situ::optimizer_free(opt), situ::module_free(net);
}

static situ::tensor misfit(situ_tensor *x) { return situ::tensor(x) * situ::ones({3}); }
static int body(void *, situ_tensor **state, situ_list, situ_tensor **) { return state[0] = misfit(state[0]).c(), 0; }
static situ_tensor *add(situ_tensor *counts, situ_tensor *x, situ_tensor *, const void *) { return (situ::sum(misfit(x)) + situ::tensor(counts)).c(); }
static situ_metric *metric;

// What is thrown in a user's function reaches who called the library, which speaks for nobody afterwards.
static void functions_of_the_users_throw()
{
    static const situ_metric_kind kind = {"misfit", 1, add, nullptr, nullptr};
    metric = situ::metric_custom(&kind, nullptr);
    situ::scope scope;
    static situ_tensor *state;
    void (*const calls[])() = {[] { situ::scan(body, nullptr, {situ::ones({2})}, {situ::ones({1})}, &state, nullptr, 0); },
        [] { situ::metric_update(metric, situ::ones({2}), situ::ones({2})); }};
    for (auto call : calls) {
        CHECK(throws_at(SITU_BAD_SHAPE, ": mul: shapes [2] and [3] do not broadcast", call));
        CHECK(throws_at(SITU_BAD_SHAPE, ": add: shapes ", [] { situ::ones({2}) + situ::ones({3}); }));
    }
    situ::metric_free(metric);
}

int main()
{
    functions_of_the_users_throw();
    every_function();
    operators();
    lifetimes();
    memory();
    devices();
    CHECK(!situ_failed());
    return broken ? 1 : 0;
}
