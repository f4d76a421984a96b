#!/usr/bin/env python3
"""A rank is killed while Open MPI 5 lets the others go on (`mpirun --with-ft ulfm`): those that are left end in the weights of one process
that nobody disturbed, bit for bit, where they are a majority; else they say why not. SITU_GROUP_LONG=1: 50 kills; SITU_GROUP_SEED."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from group import LONG, SITU, again, file_hash, find, hashes, left_behind, tell, train  # noqa: E402
from group_training import DRAW, RUN, alone, compile_program, result  # noqa: E402

ARGUMENTS = ["train", "--quiet", "--epochs", "120", "--hash", "--hidden", "40", "--device", "cpu", "--deterministic"]


def run_and_kill(*arguments, **env):
    """(code, output, who was killed): at each moment, in seconds from the start, one of those that live."""
    return again(lambda: run_once(*arguments, **env))


def run_once(mpi, program, arguments, ranks, moments, victims=None, **env):
    victims = list(victims or ())
    with tempfile.TemporaryDirectory() as folder:
        shell = f'echo $$ > {folder}/pid.$OMPI_COMM_WORLD_RANK; exec {program} {" ".join(map(str, arguments))}'
        with open(f"{folder}/output", "w+", errors="replace") as output:
            start = time.monotonic()
            launcher = subprocess.Popen([mpi.launcher, *mpi.options, "--with-ft", "ulfm", "-n", str(ranks), "/bin/sh", "-c", shell], env=mpi.environment(**env), stdout=output, stderr=subprocess.STDOUT)
            alive, killed = list(range(ranks)), []
            for moment in moments:
                time.sleep(max(0, start + moment - time.monotonic()))
                victim = victims.pop(0) if victims else DRAW.choice(alive)
                path = pathlib.Path(folder, f"pid.{victim}")
                if launcher.poll() is not None or not path.exists():
                    break
                try:
                    os.kill(int(path.read_text()), signal.SIGKILL)
                except ProcessLookupError:
                    break
                alive.remove(victim)
                killed.append(victim)
            try:
                code = launcher.wait(timeout=60)
            except subprocess.TimeoutExpired:
                code = None
                for pid in left_behind():
                    os.kill(int(pid), signal.SIGKILL)
                launcher.wait()
            output.seek(0)
            return code, output.read(), killed


def span(mpi, program, arguments, ranks, **env):
    start = time.monotonic()
    run_and_kill(mpi, program, arguments, ranks, (), **env)
    return time.monotonic() - start


def check_kills(mpi, program, arguments, reference, read, times, short=(), **env):
    """At random moments from the opening of the group on; one of four times two ranks of four, one behind the other."""
    first = span(mpi, program, [*arguments, *short], 3, **(env and {"EPOCHS": "1"}))
    last = span(mpi, program, arguments, 3, **env)
    late, early, done, whole = 0, 0, 0, 0.0
    while done < times and late + early < 3 * times + 3:
        two = DRAW.random() < 0.25
        ranks, moment = 4 if two else DRAW.choice((3, 4)), DRAW.uniform(first, last)
        start = time.monotonic()
        code, output, killed = run_and_kill(mpi, program, arguments, ranks, [moment, moment + DRAW.uniform(0, 0.2)] if two else [moment],
                                            DRAW.sample([1, 2, 3], 2) if two else None, **env)  # both at once are half of them
        if "MPI_Init" in output or "MPI_INIT" in output:  # it hangs or ends where one dies inside
            early += 1
            continue
        found = read(output)
        late += not killed or len(found) > ranks - len(killed)
        if code or len(found) < ranks - len(killed) or set(found) != {reference}:
            return f"{killed} of {ranks} ranks killed after {moment:.2f} s: code {code}, {len(found)} have ended, not {reference}\n{output[-1500:]}"
        done += len(killed) > 0 and len(found) == ranks - len(killed)
        whole = max(whole, time.monotonic() - start)
    print(f"  {mpi.name}: {done} times ranks were killed between {first:.1f} and {last:.1f} s, {late} more after the end, {early} before MPI had begun; at most {whole:.1f} s in all", flush=True)
    return "" if done == times else f"{done} of {times} kills came before the end"


def kill_in_time(mpi, ranks, moment, victim, folder=None):
    """(code, output), once it was killed between the opening of the group and the end; checkpoints of that time are in folder/kept."""
    low, high = 0, 2 * moment  # the one is too early, the other too late, while the machine is as fast as it was
    for _ in range(14):
        if folder:
            shutil.rmtree(f"{folder}/kept", ignore_errors=True)
        code, output, killed = run_and_kill(mpi, SITU, [*ARGUMENTS, *(["--checkpoint", f"{folder}/kept"] if folder else [])], ranks, [moment], [victim], SITU_GROUP_DEADLINE="8")
        early = "MPI_Init" in output or "MPI_INIT" in output
        if killed and not early and len(hashes(output)) < ranks:
            return code, output
        low, high = (moment, high) if early else (low, moment)
        if high - low < 0.2:
            low, high = low / 2, 1.5 * high
        moment = (low + high) / 2
    return None, f"no kill came in time, the next one would come after {moment:.2f} s\n{output}"


def check_first(mpi, reference, moment):
    """Rank 0 is killed, which writes the checkpoints: another one does so then."""
    with tempfile.TemporaryDirectory() as folder:
        code, output = kill_in_time(mpi, 3, moment, 0, folder)
        found = [h for h, _ in hashes(output)]
        if code != 0 or found != [reference] * 2 or file_hash(f"{folder}/kept") != reference:
            return f"rank 0 killed: code {code}, {found}, not {reference}\n{output[-1500:]}"
        return "" if output.count("accuracy on held-out data") == 1 else f"rank 0 killed, and no other one tells the accuracy\n{output}"


def check_half(mpi, reference, moment):
    """Of two ranks the first one goes on alone, the other one does not."""
    code, output = kill_in_time(mpi, 2, moment, 1)
    if code != 0 or [h for h, _ in hashes(output)] != [reference]:
        return f"rank 1 of 2 killed: code {code}\n{output[-1500:]}"
    code, output = kill_in_time(mpi, 2, moment, 0)
    good = not hashes(output) and re.search(r"(situ train|situ_\w+): rank 0 of 2 died, and 1 left are no more than half", output)
    return "" if good else f"rank 0 of 2 killed: code {code}\n{output[-1500:]}"


def main():
    mpis = [mpi for mpi in find() if mpi.name == "Open MPI 5"]
    if not mpis:
        print("SKIP survive: Open MPI 5 is not here")
        return 0
    problem = compile_program("training.c", RUN)
    if problem:
        print(f"FAIL survive: the program does not compile\n{problem}")
        return 1
    mpi, reference = mpis[0], train(*ARGUMENTS)[0][0][0]
    moment = (span(mpi, SITU, [*ARGUMENTS, "--epochs", "1"], 2) + span(mpi, SITU, ARGUMENTS, 2)) / 2
    bad = tell(f"{mpi.name}: ranks are killed, the others end in the weights of one process", [
        check_kills(mpi, SITU, ARGUMENTS, reference, lambda text: [h for h, _ in hashes(text)], 40 if LONG else 1, ["--epochs", "1"])])
    for net, epochs in (("norm", "60"), ("gpt", "20")) if LONG else (("norm", "60"),):
        one = result(alone(net, "deterministic", 0, EPOCHS=epochs))[0]
        bad |= tell(f"{mpi.name}: the same of {'a small GPT' if net == 'gpt' else 'batch norm with dropout'}", [
            check_kills(mpi, RUN, [net, "deterministic", 0], one, lambda text: list(result(text).values()), 5 if LONG else 1, EPOCHS=epochs)])
    bad |= tell(f"{mpi.name}: the first rank is killed; one of two is", [check_first(mpi, reference, moment), check_half(mpi, reference, moment)])
    RUN.unlink()
    return bad


if __name__ == "__main__":
    sys.exit(main())
