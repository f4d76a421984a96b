// ---- what is seen of the runs
function curves(){
  for(const k of ["x","s"]){
    const all=runs.flatMap(r=>r.points.map(p=>p[k]).concat(r.epochs.map(e=>k=="x"?e.n:e.s)));
    view.all[k]=all.length?[Math.min(...runs.map(r=>k=="x"?r.starts[0].first:0)),Math.max(...all)]:[0,1];
  }
  if(runs.some(r=>r.points.length>400))view.smooth=.7;
  const several=runs.length>1,names=[],add=n=>names.includes(n)||names.push(n);
  for(const r of runs){
    for(const c of r.columns)add(c);
    for(const e of r.epochs)for(const n in e.v)if(n.startsWith("validation "))add(n.slice(11));
  }
  const special=["gradient norm"],order=names.filter(n=>!special.includes(n)).concat(names.filter(n=>special.includes(n)));
  const colour=(i,validation)=>colours[several?i%6:validation?1:0];
  const series=(label,validation,points)=>runs.map((r,i)=>({name:several?naming(r)+(label?" "+label:""):label,colour:colour(i,validation),dash:several&&validation,smooth:!validation,points:points(r).filter(p=>p.y!=null)}));
  const cards=order.map(n=>{
    const train=series(special.includes(n)?"":"training",false,r=>r.points.map(p=>({x:p.x,s:p.s,y:p.v[p.names.indexOf(n)]})));
    const held=series("validation",true,r=>r.epochs.map(e=>({x:e.n,s:e.s,y:e.v["validation "+n]})));
    if(special.includes(n)&&!several)train[0].name=n;
    return chart(n,train.concat(held))||el("div",{class:"card"},el("h3",null,n),el("p",{class:"soft"},"no finite value"));
  });
  const rate=series("",false,r=>r.points.map(p=>({x:p.x,s:p.s,y:p.lr})));
  if(!several)rate[0].name="learning rate";
  rate.forEach(s=>s.smooth=false);
  cards.push(chart("learning rate",rate));
  const memory=runs.flatMap((r,i)=>[...new Set(r.memory.flatMap(m=>Object.keys(m.d)))].flatMap((d,k)=>["in use","peak"].map((w,j)=>({name:(several?naming(r)+" ":"")+d+" "+w,colour:colours[(several?i:k)%6],dash:j,points:r.memory.filter(m=>m.d[d]).map(m=>({x:m.x,s:m.s,y:m.d[d][j]}))}))));
  cards.push(chart("memory of tensors",memory,bytes,true));
  const smooth=el("input",{type:"range",min:0,max:.99,step:.01,value:view.smooth,"aria-label":"smoothing",oninput:e=>{view.smooth=+e.target.value;drawAll()}});
  const by=el("select",{"aria-label":"horizontal axis",onchange:e=>{view.by=e.target.value;view.range=null;drawAll()}},el("option",{value:"x"},"epochs"),el("option",{value:"s"},"steps"));
  return [el("h2",null,"Curves"),el("div",{class:"tools"},el("label",null,"over ",by),el("label",null,"smoothing ",smooth),el("button",{onclick:()=>{view.range=null;drawAll()}},"whole range"),el("span",null,"drag to zoom, double click to see all")),el("div",{class:"grid"},cards)];
}
const last=r=>r.epochs[r.epochs.length-1]||{v:{},rates:[]};
// Of a training that ended in its first epoch.
function lastLoss(r){
  const p=r.points.findLast(p=>p.v[p.names.indexOf("loss")]!=null);
  return p&&p.v[p.names.indexOf("loss")];
}
const seconds=r=>r.end?r.end.seconds:last(r).rates[0];
function ended(r){
  if(!r.end)return "no end: it is running, or was killed";
  const why={epochs:"all epochs done",patience:"ended early: no better for as long as allowed",stopped:"stopped",error:"ended by an error"};
  return why[r.end.why]||r.end.why;
}
function tile(value,label){return el("div",{class:"tile"},el("b",null,value),el("span",null,label))}
function heading(){
  const r=runs[0];
  if(runs.length>1)return [el("h1",null,"Comparison of "+runs.length+" trainings"),el("p",{class:"soft"},runs.map(naming).join(", "))];
  const v=last(r).v,start=new Date(r.starts[0].time*1e3);
  document.title=r.run.title+" \u2013 training report";
  return [el("h1",null,r.run.title),
    el("p",{class:"soft"},"Training report, begun "+start.toLocaleString()+"; "+ended(r)+"."),
    r.end&&r.end.error&&el("p",{class:"bad"},r.end.error),
    el("div",{class:"tiles"},
      v["validation accuracy"]!=null&&tile(percent(v["validation accuracy"]),"accuracy, held out"),
      v["validation loss"]!=null&&tile(num(v["validation loss"]),"loss, held out"),
      tile(num(v.loss??lastLoss(r)),"training loss"),
      tile(num(r.end?r.end.epochs:last(r).n||0)+" / "+num(r.run.epochs),"epochs"),
      tile(time(seconds(r)),"of training"),
      tile(num(last(r).rates[4],3),"rows a second"))];
}
function spent(r){
  const [,w,c,k]=last(r).rates;
  if(w==null)return null;
  const parts=[["waited for data",w,1],["copies",c,3],["computing",k,0]];
  return el("div",{class:"card"},el("h3",null,(runs.length>1?naming(r)+": w":"W")+"here the time went"),
    el("div",{class:"bar"},parts.map(p=>el("span",{style:`width:${100*p[1]}%;background:${colours[p[2]]}`}))),
    parts.map(p=>el("span",{class:"key"},el("i",{class:"box",style:`background:${colours[p[2]]}`}),p[0]+" "+Math.round(100*p[1])+" %")));
}
// The summary of a network: its text in columns.
function network(r){
  const lines=r.network.text.trimEnd().split("\n"),foot=lines.pop(),cut=l=>[l.slice(0,36).trimEnd(),l.slice(36,65).trim(),...l.slice(65).trim().split(/\s+/)];
  const rows=lines.map(cut),shapes=rows.some(x=>x[1]);
  const keep=x=>[el("span",{style:`padding-left:${x[0].search(/\S/)*.6}em`},x[0].trim()),...(shapes?x.slice(1,4):x.slice(2,3))].map(c=>/^\d+$/.test(c)?num(+c):c);
  return el("div",{class:"card"},el("h3",null,(runs.length>1?naming(r)+": n":"N")+"etwork"),table(keep(rows[0]),rows.slice(1).map(keep),shapes?[2,3]:[1]),el("p",{class:"soft"},foot));
}
function settings(){
  const several=runs.length>1,table_of=f=>{
    const rows=[];
    f((name,g)=>{const all=runs.map(r=>{const v=g(r);return v==null||v===""?"\u2013":v});if(all.some(v=>v!="\u2013"))rows.push([name,...all])});
    const t=table(several?["",...runs.map(naming)]:[],rows);
    t.classList.add("keys");
    return t;
  };
  const about=table_of(add=>{
    add("ended",ended);
    for(const n of ["loss","validation loss","validation accuracy"])add(n,r=>last(r).v[n]!=null?num(last(r).v[n],5):null);
    add("best epoch",r=>r.end&&r.end.best||null);
    add("epochs",r=>num(r.end?r.end.epochs:last(r).n));
    add("steps",r=>num(r.end?r.end.steps:last(r).s));
    add("time",r=>time(seconds(r)));
    add("rows a second",r=>num(last(r).rates[4],3));
    add("steps a second",r=>num(last(r).rates[5],3));
    add("data",r=>r.run.data+", "+(r.run.rows<0?"a stream":num(r.run.rows)+" rows")+(r.run.held_out?", "+num(r.run.held_out)+" held out":""));
    add("devices",r=>r.run.devices.map(d=>d.name+" "+d.model+(d.total?", "+bytes(d.total):"")+(d.simulated?" (simulated)":"")).join("; "));
    add("driver",r=>[...new Set(r.run.devices.map(d=>d.driver))].join("; "));
    add("version",r=>"situ "+r.run.version);
    add("optimizer",r=>r.run.optimizer);
    add("learning rate",r=>r.run.hyper&&num(r.run.hyper.lr));
    add("batch",r=>num(r.run.trainer.batch));
  });
  const keys=w=>[...new Set(runs.flatMap(r=>Object.keys(r.run[w]||{})))];
  const options=table_of(add=>["hyper","trainer"].forEach(w=>keys(w).forEach(k=>add((w=="hyper"?"optimizer: ":"trainer: ")+k,r=>r.run[w]&&num(r.run[w][k],6)))));
  return [el("h2",null,"Summary"),el("div",{class:"grid"},
    el("div",{class:"card"+(several?" wide":"")},about,el("details",null,el("summary",null,"all options"),options)),
    el("div",{class:several?"wide grid":"stack"},runs.map(spent),runs.map(r=>r.network&&network(r))))];
}
function confusion(r){
  const {n,c,epoch}=r.confusion,cells=[el("div")];
  const sum=i=>c.slice(i*n,i*n+n).reduce((a,b)=>a+b,0),small=n>24;
  for(let j=0;j<n;j++)cells.push(el("div",{class:"l"},small&&j%5?"":j));
  for(let i=0;i<n;i++){
    const all=sum(i);
    cells.push(el("div",{class:"l"},small&&i%5?"":i));
    for(let j=0;j<n;j++){
      const v=c[i*n+j],share=all?v/all:0,strong=v?12+88*Math.sqrt(share):0;
      const cell=el("div",{style:`background:color-mix(in srgb,var(${i==j?"--a":"--b"}) ${strong}%,var(--grid));color:${strong>55?"var(--paper)":"var(--ink)"}`},small||!v?"":v);
      cell.onpointermove=e=>say(e,`label ${i}, largest score at ${j}`,`${num(v)} of ${num(all)} rows with this label (${percent(share)})`);
      cell.onpointerleave=hush;
      cells.push(cell);
    }
  }
  const right=Array.from({length:n},(_,i)=>c[i*n+i]).reduce((a,b)=>a+b,0),total=c.reduce((a,b)=>a+b,0);
  return el("div",{class:"card"},el("h3",null,runs.length>1?naming(r):"Confusion matrix"),
    el("p",{class:"soft"},`Held-out rows after epoch ${epoch}: down the label, across the largest score; ${num(right)} of ${num(total)} are right.`),
    el("div",{class:small?"cm small":"cm",style:`grid-template-columns:repeat(${n+1},minmax(0,1fr))`},cells));
}
function recalls(r){
  const {n,c}=r.confusion,col=j=>{let s=0;for(let i=0;i<n;i++)s+=c[i*n+j];return s};
  const rows=Array.from({length:n},(_,i)=>{
    const all=c.slice(i*n,i*n+n).reduce((a,b)=>a+b,0),said=col(i),hit=c[i*n+i],p=hit/said,q=hit/all;
    return [i,num(all),percent(p),percent(q),percent(2*p*q/(p+q))];
  });
  return el("div",{class:"card tall"},el("h3",null,(runs.length>1?naming(r)+": b":"B")+"y class"),table(["class","rows","precision","recall","F1"],rows,[1,2,3,4]));
}
function timeline(r){
  const t=r.timeline,who=runs.length>1?naming(r)+": ":"";
  if(!t.bars.length)return null;
  const bars=t.bars.map(bar);
  return [lanes(`${who}steps ${num(t.from)} to ${num(t.from+t.steps-1)}`,bars,laneNote),longest(bars,who)];
}
const laneNote="A lane for each thread of the program and each queue of a device; waits are red. Drag to zoom, double click to see all.";
const bar=([lane,name,from,length,line,size])=>({lane,name,from,to:from+length,line,tip:[name,time(length/1e6)+" from "+time(from/1e6),line,size?bytes(size):""].filter(Boolean)});
function sums(bars,key){
  const all={};
  for(const b of bars)(all[key(b)]=all[key(b)]||[0,0])[0]+=b.to-b.from,all[key(b)][1]++;
  return Object.entries(all).sort((a,b)=>b[1][0]-a[1][0]);
}
function longest(bars,who){
  const rows=sums(bars.filter(b=>!b.lane.startsWith("thread")),b=>b.name),all=rows.reduce((a,x)=>a+x[1][0],0);
  return rows.length?el("div",{class:"card wide"},el("h3",null,who+"longest on the devices"),table(["step of the plan","times","together","share"],rows.slice(0,10).map(x=>[x[0],num(x[1][1]),time(x[1][0]/1e6),percent(x[1][0]/all)]),[1,2,3])):null;
}
// ---- traces
const traceName=t=>t.name.replace(/^.*\//,"").replace(/\.json$/,"");
function trace(t,scale){
  const kinds=t.bars.map(b=>b[1]),bars=t.bars.map(b=>bar([t.lanes[b[0]],...b.slice(2)])),who=traces.length>1?traceName(t)+": ":"";
  const end=bars.reduce((a,b)=>Math.max(a,b.to),0);
  const busy=t.lanes.map((n,i)=>{
    let all=0,until=0,count=0;
    bars.forEach((b,k)=>{
      if(t.bars[k][0]!=i)return;
      count++;
      if(b.to>until){all+=b.to-Math.max(b.from,until);until=b.to}
    });
    return [n,num(count),time(all/1e6),percent(all/end)];
  });
  const waits=sums(bars.filter((b,i)=>kinds[i]=="wait"),b=>b.line||"no line of the program");
  return [lanes(`${traceName(t)}: ${t.clock}, ${time(end/1e6)}`,bars,laneNote,scale),
    el("div",{class:"card wide"},el("h3",null,who+"lanes"),table(["lane","bars","busy","share"],busy,[1,2,3])),
    waits.length&&el("div",{class:"card wide"},el("h3",null,who+"waits, by line"),table(["line","times","together"],waits.map(x=>[x[0],num(x[1][1]),time(x[1][0]/1e6)]),[1,2])),
    longest(bars,who)];
}
function tracesShown(){
  const scale={};
  for(const t of traces)for(const b of t.bars)scale.end=Math.max(scale.end||0,b[3]+b[4]);
  const all=traces.map(t=>trace(t,scale));
  return el("div",{class:"grid"},all.map(a=>a[0]),all.flatMap(a=>a.slice(1)).filter(Boolean));
}
// Rectangles: from step to step of the plan, at their addresses.
function arena(r,p,device){
  const values=p.values.filter(v=>v[0]==device),high=Math.max(...values.map(v=>v[1]+v[2])),n=p.steps.length;
  if(!values.length)return null;
  const live=Array.from({length:n},(_,i)=>values.filter(v=>v[3]<=i&&i<=v[4]).reduce((a,v)=>a+v[1],0)),peak=live.indexOf(Math.max(...live));
  const size=[...values].sort((a,b)=>b[1]-a[1]);
  const draw=(svg,w)=>{
    const h=250,left=76,right=w-8,bottom=h-36,px=i=>left+i/n*(right-left),py=b=>bottom-b/high*(bottom-10);
    for(const v of byteTicks(high)){
      sv(svg,"path",{class:"g",d:`M${left} ${py(v)}H${right}`});
      sv(svg,"text",{x:left-7,y:py(v)+4,"text-anchor":"end"},bytes(v));
    }
    for(const v of ticks(0,n,w/90))if(Number.isInteger(v))sv(svg,"text",{x:px(v),y:bottom+16,"text-anchor":"middle"},v);
    sv(svg,"text",{x:(left+right)/2,y:h-3,"text-anchor":"middle"},"step of the plan");
    values.forEach((v,i)=>sv(svg,"rect",{x:px(v[3]),y:py(v[2]+v[1]),width:Math.max(1,px(v[4]+1)-px(v[3])-.5),height:Math.max(1,py(v[2])-py(v[2]+v[1])-.5),fill:`hsl(${size.indexOf(v)*137.5%360} 55% 52%)`,"data-i":i}));
    sv(svg,"path",{class:"x","stroke-dasharray":"4 3",d:`M${px(peak+.5)} 4V${bottom}`});
    return h;
  };
  const who=runs.length>1?naming(r)+": ":"",[card,svg]=frame(el("h3",null,who+"intermediates of a step on "+p.devices[device]),draw,true,
    el("p",{class:"soft"},`At its peak, in step ${peak} of the plan (${p.steps[peak]}), ${bytes(live[peak])} of intermediates lie in an arena of ${bytes(high)}:`),
    table(["largest at the peak","bytes","line"],values.filter(v=>v[3]<=peak&&peak<=v[4]).sort((a,b)=>b[1]-a[1]).slice(0,8).map(v=>[v[5],bytes(v[1]),v[6]]),[1]));
  svg.onpointermove=e=>{
    const v=e.target.dataset&&values[e.target.dataset.i];
    v?say(e,v[5],bytes(v[1])+`, steps ${v[3]} to ${v[4]} of the plan`,"made by "+p.steps[v[3]],v[6]):hush();
  };
  svg.onpointerleave=hush;
  return card;
}
function held(r){
  return Object.values(r.held).map(h=>el("div",{class:"card wide"},el("h3",null,(runs.length>1?naming(r)+": ":"")+`tensors on ${h.device}: ${num(h.live)}, ${bytes(h.bytes)}; at most ${bytes(h.peak)}`),
    table(["largest","bytes","line"],h.largest.map(t=>[t[1],bytes(t[0]),t[2]]),[1])));
}
function ledger(r){
  const rows=[...r.ledger.rows].sort((a,b)=>b[5]-a[5]||b[4]-a[4]);
  return el("div",{class:"card wide"},el("h3",null,runs.length>1?naming(r):""),rows.length?table(["line","what","why","times","bytes","waited"],rows.map(x=>[x[0],x[1],x[2],num(x[3]),x[4]?bytes(x[4]):"",x[5]?time(x[5]):""]),[3,4,5]):"none");
}
function section(title,f,has,text){
  const parts=runs.filter(has).map(f).flat(9).filter(Boolean);
  return parts.length?[el("h2",null,title),text&&el("p",{class:"soft"},text),el("div",{class:"grid"},parts)]:[];
}
addEventListener("DOMContentLoaded",()=>{
  const page=document.getElementById("page");
  document.querySelectorAll("script[type='application/x-situ-run']").forEach(s=>readRun(s.textContent));
  tip=el("div",{id:"tip"});
  document.body.append(tip);
  addEventListener("resize",drawAll);
  if(!runs.length){
    document.title=traces.length?traces.map(traceName).join(", ")+" \u2013 timeline":"report";
    page.append(el("h1",null,traces.length>1?"Timelines of "+traces.length+" runs":traces.length?"Timeline":"No training in this file"),tracesShown());
    return drawAll();
  }
  page.append(...[heading(),curves(),settings(),
    section("Confusion",r=>[confusion(r),recalls(r)],r=>r.confusion),
    section("Timeline",timeline,r=>r.timeline),
    traces.length&&[el("h2",null,"Traces"),tracesShown()],
    section("Memory",r=>[r.plan&&r.plan.devices.map((_,d)=>arena(r,r.plan,d)),held(r)],r=>r.plan||Object.keys(r.held).length),
    section("Copies, waits, merged work",ledger,r=>r.ledger,"What crossed between devices, where the program waited, and which operations (merge) were not computed because an equal one was; by the line that asked for it.")].flat(9).filter(Boolean));
  drawAll();
});
