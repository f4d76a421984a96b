"use strict";
// The runs: each script element of lines of JSON; the last line of a process that was killed may be cut.
const runs=[],traces=[];
function readRun(text){
  const r={columns:[],points:[],epochs:[],memory:[],held:{},starts:[]};
  for(const line of text.split("\n")){
    let e;
    try{e=JSON.parse(line)}catch(_){continue}
    if(e.k=="run"){r.starts.push(e);r.run=e;r.end=null}
    else if(e.k=="columns")r.columns=e.names;
    else if(e.k=="p")r.points.push({...e,names:r.columns});
    else if(e.k=="epoch")r.epochs.push(e);
    else if(e.k=="memory")r.memory.push(e);
    else if(e.k=="held")r.held[e.device]=e;
    else if(e.k=="name")r.name=e.text;
    else if(e.k=="trace")traces.push(e);
    else r[e.k]=e;
  }
  return r.run&&runs.push(r);
}
// ---- words
const SVG="http://www.w3.org/2000/svg",colours=["--a","--b","--c","--d","--e","--f"].map(c=>`var(${c})`);
function el(tag,attributes,...children){
  const e=document.createElement(tag);
  for(const k in attributes||{})k=="class"?e.className=attributes[k]:k.startsWith("on")?e[k]=attributes[k]:e.setAttribute(k,attributes[k]);
  e.append(...children.flat(9).filter(c=>c!=null&&c!==false));
  return e;
}
function sv(parent,tag,attributes,text){
  const e=document.createElementNS(SVG,tag);
  for(const k in attributes)e.setAttribute(k,attributes[k]);
  if(text!=null)e.textContent=text;
  parent.append(e);
  return e;
}
const minus=s=>s.replace("-","\u2212");
function num(v,digits=4){
  if(v==null||!isFinite(v))return "\u2013";
  const a=Math.abs(v);
  if(a&&(a<1e-3||a>=1e7))return minus(v.toExponential(Math.max(0,digits-2)).replace(/\.?0+e/,"e").replace("e+","e"));
  return minus(Number.isInteger(v)&&a<1e7?v.toLocaleString("en"):String(+v.toPrecision(digits)));
}
function unit(v,step,names){
  let i=0;
  while(Math.abs(v)>=step&&i<names.length-1){v/=step;i++}
  return num(v,3)+" "+names[i];
}
const bytes=v=>unit(v,1024,["B","KiB","MiB","GiB","TiB"]);
const time=s=>s==null?"\u2013":s>=5400?num(s/3600,3)+" h":s>=90?num(s/60,3)+" min":s>=1?num(s,3)+" s":s>=1e-3?num(s*1e3,3)+" ms":num(s*1e6,3)+" \u00b5s";
const percent=v=>isFinite(v)?num(100*v,3)+" %":"\u2013";
const naming=r=>r.name&&runs.length>1?r.name.replace(/^.*\//,"").replace(/\.html?$/,""):r.run.title;
// Round numbers from low to high, about n of them.
function ticks(low,high,n){
  const raw=(high-low)/n||1,p=10**Math.floor(Math.log10(raw)),q=raw/p,step=p*(q<1.5?1:q<3.5?2:q<7.5?5:10),out=[];
  for(let i=Math.ceil(low/step-1e-9);i*step<=high+step*1e-9;i++)out.push(+(i*step).toPrecision(12));
  return out;
}
function byteTicks(high){
  const p=2**Math.max(0,Math.round(Math.log2(high/4))),out=[];
  for(let v=0;v<=high;v+=p)out.push(v);
  return out;
}
// ---- the tip beside the pointer
let tip;
function say(event,...lines){
  tip.replaceChildren(...lines.flat().map(l=>el("div",null,l)));
  tip.style.display="block";
  tip.style.left="0"; // at the edge there is no room for its words
  const w=tip.offsetWidth,h=tip.offsetHeight,x=event.clientX+14,y=event.clientY+14;
  tip.style.left=Math.max(4,x+w>innerWidth-4?event.clientX-w-14:x)+"px";
  tip.style.top=Math.max(4,y+h>innerHeight-4?event.clientY-h-14:y)+"px";
}
const hush=()=>tip.style.display="none";
function table(head,rows,numbers=[]){
  const cell=(t,tag,i)=>el(tag,numbers.includes(i)?{class:"n"}:null,t);
  return el("div",{class:"scroll"},el("table",null,el("tr",null,head.map((t,i)=>cell(t,"th",i))),rows.map(r=>el("tr",null,r.map((t,i)=>cell(t,"td",i))))));
}
