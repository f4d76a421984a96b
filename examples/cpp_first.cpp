// The first program in C++17, and a line fitted by gradient descent.
#include <iostream>

#include <situ.hpp>

int main()
{
    situ::scope scope; // owns every temporary below
    situ::tensor x = situ::uniform(situ::key(0, situ::draw().device(situ::try_gpu(0))), {2, 3});
    situ::tensor y = situ::exp(x + 2) * x;
    std::cout << y << "\n" << situ::sum(y, situ::over({-1}).keepdims()) << "\n";

    // t = 3 u - 1, from 100 points
    situ::tensor u = situ::normal(situ::key(1), {100}), t = 3 * u - 1;
    situ::variable slope(situ::zeros({})), offset(situ::zeros({}));
    double loss = 0;
    for (int step = 0; step < 100; step++) {
        situ::scope turn;
        situ::tensor error = situ::mean(situ::square(slope * u + offset - t));
        auto g = situ::grad(error, {slope, offset});
        slope.assign(slope - 0.2 * g[0]);
        offset.assign(offset - 0.2 * g[1]);
        if (step == 99) loss = error.item();
    }
    std::cout << "slope " << (*slope).item() << ", offset " << (*offset).item() << ", loss " << loss << "\n";

    try { // errors are exceptions that say where
        situ::ones({2, 3}) + situ::ones({4});
    } catch (const situ::error &e) {
        std::cout << "error " << e.code << ": " << e.what() << "\n";
    }
    return loss < 1e-6 ? 0 : 1;
}
