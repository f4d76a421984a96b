#!/usr/bin/env bash
# The report in a browser without a window: every section is there, light, dark and narrow; zoom, hover and the controls work; the
# browser has nothing to complain of; and nothing is asked of a network.
set -u
cd "$(dirname "$0")/../.." || exit 1
situ="${SITU_BUILD_DIR:-build}/situ"
[ -x "$situ" ] || { echo "FAIL report: $situ is not built"; exit 1; }
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
[ -n "$browser" ] || { echo "SKIP report: no chromium to open it with"; exit 0; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
status=0
for hidden in 64 16; do
    SITU_SIM_GPUS=2 "$situ" train --epochs 12 --hidden $hidden --gpus 2 --report "$folder/h$hidden.html" --quiet >/dev/null || exit 1
done
"$situ" report "$folder/h64.html" "$folder/h16.html" -o "$folder/both.html" || exit 1
head -c "$(($(wc -c <"$folder/h64.html") * 2 / 3))" "$folder/h64.html" >"$folder/killed.html"

# Behind a page: uses it as a person would, and writes what it finds to the title.
cat >"$folder/use.html" <<'TEXT'
<script>
addEventListener("load",()=>setTimeout(()=>{
  const found=[],svg=document.querySelector("svg"),labels=()=>[...svg.querySelectorAll("text")].map(t=>t.textContent).join();
  const at=(type,x,more)=>{const r=svg.getBoundingClientRect();svg.dispatchEvent(new PointerEvent(type,{bubbles:true,pointerId:1,pointerType:"mouse",button:0,clientX:r.left+r.width*x,clientY:r.top+60,...more}))};
  svg.setPointerCapture=()=>{};
  const before=labels();
  at("pointermove",.5);
  found.push("hover "+/^epoch [\d.]+.*h64 training [\d.]+/.test(document.getElementById("tip").textContent));
  at("pointerdown",.4);at("pointermove",.6);at("pointerup",.6);
  const zoomed=labels();
  found.push("zoom "+(zoomed!=before));
  svg.dispatchEvent(new MouseEvent("dblclick"));
  found.push("back "+(labels()==before));
  document.querySelector(".head button").click();
  found.push("log "+(labels()!=before));
  const by=document.querySelector("select");
  by.value="s";by.onchange({target:by});
  found.push("steps "+labels().includes("step"));
  document.title=found.join(" ");
},50));
</script>
TEXT
cat "$folder/both.html" "$folder/use.html" >"$folder/used.html"

# Behind a page: which cells of tables have their name, shape or number on several lines, and is the page wider than the screen?
cat >"$folder/lines.html" <<'TEXT'
<script>
addEventListener("load",()=>setTimeout(()=>{
  const broken=[...document.querySelectorAll("th,td")].filter(c=>{
    if(c.matches(".keys td+td"))return false;
    const range=document.createRange();
    range.selectNodeContents(c);
    return new Set([...range.getClientRects()].map(r=>Math.round(r.bottom))).size>1;
  });
  document.title="broken "+broken.length+" wider "+(document.documentElement.scrollWidth>innerWidth)+" "+broken.slice(0,3).map(c=>c.textContent).join();
},50));
</script>
TEXT
{ cat "$folder/h64.html"; echo "</script>"; cat "$folder/lines.html"; } >"$folder/lined.html"
cat "$folder/both.html" "$folder/lines.html" >"$folder/lined_both.html"

# browse PAGE FLAGS...: the page as it is then, into $folder/page; what the browser says into $folder/said.
browse() {
    local page=$1
    shift
    timeout 120 "$browser" --headless=new --no-sandbox --disable-gpu --enable-logging=stderr --v=0 --user-data-dir="$folder/profile" \
        --virtual-time-budget=4000 "$@" --dump-dom "file://$page" >"$folder/page" 2>"$folder/said" ||
        { echo "FAIL report: the browser ended with $?: $(tail -n 1 "$folder/said")"; status=1; }
    if grep -q "CONSOLE" "$folder/said"; then
        echo "FAIL report: $(basename "$page"): $(grep -m 1 CONSOLE "$folder/said")"
        status=1
    fi
}
# has PAGE WORDS...
has() {
    local page=$1 word
    shift
    for word in "$@"; do
        grep -qF -- "$word" "$folder/page" || { echo "FAIL report: $page has no \"$word\""; status=1; }
    done
}
cat >"$folder/nan.c" <<'C'
#include <math.h>
#include <situ.h>
static situ_tensor *step(situ_trainer *t, situ_module *net, const situ_batch *batch, void *self)
{
    (void)self;
    return situ_mul(situ_cross_entropy(situ_module_call(net, batch->field[0]), batch->field[1]), situ_trainer_steps(t) < 12 ? 1.0 : (double)NAN);
}
int main(int argc, char **argv)
{
    situ_module *net = situ_sequential(situ_flatten_layer(), situ_linear_layer(10));
    situ_trainer *t = situ_trainer_new(.step = step, .report = argv[argc - 1]);
    return situ_trainer_fit(t, net, situ_adam(net), situ_digits(), NULL) != -SITU_NAN;
}
C
build=$(cd "$(dirname "$situ")" && pwd)
{ ${CC:-cc} -Iinclude "$folder/nan.c" -o "$folder/nan" -L"$build" -lsitu -lm -Wl,-rpath,"$build" && "$folder/nan" "$folder/nan.html"; } || { echo "FAIL report: no training ends at a NaN"; status=1; }
sections=(">Curves<" ">Summary<" ">Confusion<" ">Timeline<" ">Memory<" ">Copies, waits, merged work<")
browse "$folder/h64.html" --window-size=1280,900
if [ ! -s "$folder/page" ]; then
    echo "SKIP report: the browser does not run here: $(tail -n 1 "$folder/said")"
    exit 0
fi
has one "${sections[@]}" ">accuracy, held out<" "waited for data" "gradient norm" "learning rate" "intermediates of a step on gpu(0)" "1 linear"
curves=$(grep -o '<path class="s"' "$folder/page" | wc -l)
[ "$curves" -ge 8 ] || { echo "FAIL report: it has $curves curves"; status=1; }
browse "$folder/h64.html" --window-size=500,900 --force-dark-mode
has narrow "${sections[@]}"
for page in lined lined_both; do
    browse "$folder/$page.html" --window-size=500,900
    has $page "<title>broken 0 wider false"
done
browse "$folder/both.html"
has both "Comparison of 2 trainings" "h64 training" "h16 validation" "${sections[@]}"
browse "$folder/killed.html"
has killed ">Curves<" "it is running, or was killed"
browse "$folder/nan.html"
has nan ">Curves<" "is NaN; train anew" "ended by an error"
curves=$(grep -o '<path class="s"' "$folder/page" | wc -l)
[ "$curves" -ge 2 ] || { echo "FAIL report: that of a training that ended at a NaN has $curves curves"; status=1; }
browse "$folder/used.html"
has used "<title>hover true zoom true back true log true steps true</title>"
# Timelines of traces: a page of one run and of two, on either clock, at two widths; a picture; among reports.
cat >"$folder/hop.c" <<'C'
#include <situ.h>
int main(void)
{
    for (int i = 0; i < 2; i++) {
        situ_tensor *x = situ_ones(SHAPE(400, 400), .device = situ_gpu(0));
        situ_tensor *y = situ_matmul(situ_to(situ_matmul(x, x), situ_gpu(1)), situ_ones(SHAPE(400, 400), .device = situ_gpu(1)));
        situ_item(situ_sum(y));
    }
    return situ_failed();
}
C
${CC:-cc} -Iinclude "$folder/hop.c" -o "$folder/hop" -L"$build" -lsitu -lm -Wl,-rpath,"$build" || exit 1
(cd "$folder" && SITU_SIM_GPUS=2 SITU_GPUS=sim SITU_TRACE=run.json ./hop) || { echo "FAIL timeline: no trace"; status=1; }
"$situ" timeline "$folder/run.json" -o "$folder/run.html" || exit 1
"$situ" timeline --clock here "$folder/run.json" "$folder/run.json" -o "$folder/two.html" || exit 1
"$situ" timeline "$folder/run.json" -o "$folder/run.svg" --title "a <hop>" || exit 1
"$situ" report "$folder/h64.html" "$folder/run.json" -o "$folder/mixed.html" || exit 1
for width in 400 1400; do
    browse "$folder/run.html" --window-size=$width,900
    has "timeline at $width" ">Timeline<" "simulated time" ">thread 1<" ">gpu(0)<" ">gpu(1)<" "matmul" "waits, by line" "hop.c:7" 'fill="#cf222e"'
done
{ cat "$folder/two.html" "$folder/lines.html"; } >"$folder/two_lined.html"
browse "$folder/two_lined.html" --window-size=500,900 --force-dark-mode
has "two timelines" "Timelines of 2 runs" "time here" "<title>broken 0 wider false"
# A drag in the first timeline zooms both; a double click shows all again.
cat >"$folder/zoom.html" <<'TEXT'
<script>
addEventListener("load",()=>setTimeout(()=>{
  const [one,two]=document.querySelectorAll("svg"),bars=s=>[...s.querySelectorAll("rect")].map(r=>r.getAttribute("width")).join(),before=[bars(one),bars(two)];
  const at=(type,x)=>{const r=one.getBoundingClientRect();one.dispatchEvent(new PointerEvent(type,{bubbles:true,pointerId:1,pointerType:"mouse",button:0,clientX:r.left+r.width*x,clientY:r.top+30}))};
  one.setPointerCapture=()=>{};
  at("pointerdown",.2);at("pointermove",.6);at("pointerup",.6);
  const zoomed=[bars(one),bars(two)];
  one.dispatchEvent(new MouseEvent("dblclick"));
  document.title="zoom "+(zoomed[0]!=before[0]&&zoomed[1]!=before[1]&&zoomed[0]==zoomed[1])+" back "+(bars(one)==before[0]&&bars(two)==before[1]);
},50));
</script>
TEXT
cat "$folder/two.html" "$folder/zoom.html" >"$folder/zoomed.html"
browse "$folder/zoomed.html"
has "two timelines" "<title>zoom true back true"
browse "$folder/mixed.html"
has "a report and a trace" ">Curves<" ">Traces<" "run: simulated time"
python3 - "$folder/run.svg" <<'P' || status=1
import sys
import xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
space = "{http://www.w3.org/2000/svg}"
kinds = {r.get("class") for r in root.iter(space + "rect")}
words = " ".join("".join(t.itertext()) for t in root.iter(space + "text"))
missing = [k for k in ("wait", "compute", "copy") if k not in kinds] + [w for w in ("a <hop>", "simulated time", "gpu(1)", "hop.c:7", "waited 2 times") if w not in words]
if missing:
    sys.exit(print(f"FAIL timeline: the picture has no {missing}") or 1)
P
echo '{"traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":1' >"$folder/cut.json"
"$situ" timeline "$folder/cut.json" -o "$folder/none.html" 2>"$folder/said"
if [ $? != 1 ] || ! grep -q "cut.json is no trace" "$folder/said"; then echo "FAIL timeline: a file that was cut: $(cat "$folder/said")"; status=1; fi
if sed 's|http://www.w3.org/2000/svg||g' "$folder/both.html" "$folder/two.html" "$folder/run.svg" | grep -qE 'https?://|src=|@import|url\((["'"'"']?)(http|/)'; then
    echo "FAIL report: it asks for something outside of the file"
    status=1
fi
[ $status -ne 0 ] || echo "PASS report: timelines of one run and of two, 400 and 1400 wide, and a picture"
[ $status -ne 0 ] || echo "PASS report: in $("$browser" --version 2>/dev/null | head -n 1), light, dark, narrow, of one training and of two, of one that was killed and one that ended at a NaN"
exit $status
