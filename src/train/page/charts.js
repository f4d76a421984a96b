// ---- charts: all curves share the horizontal range; drag to zoom, double click to see all.
const view={by:"x",range:null,smooth:0,all:{}},redraw=[];
const drawAll=()=>redraw.forEach(f=>f());
function zoomable(svg,box,get,set,hover){
  let from=null,mark=null;
  const at=e=>{const r=svg.getBoundingClientRect();return Math.min(box().right,Math.max(box().left,e.clientX-r.left))};
  const value=p=>{const [l,h]=get(),b=box();return l+(p-b.left)/(b.right-b.left)*(h-l)};
  svg.onpointerdown=e=>{if(e.pointerType=="mouse"&&e.button==0){from=at(e);svg.setPointerCapture(e.pointerId)}};
  svg.onpointermove=e=>{
    if(from!=null){
      mark=mark||sv(svg,"rect",{fill:"var(--a)",opacity:.18,y:box().top,height:box().bottom-box().top});
      mark.setAttribute("x",Math.min(from,at(e)));mark.setAttribute("width",Math.abs(at(e)-from));
    }
    hover(e,at(e),value(at(e)));
  };
  svg.onpointerup=e=>{
    const a=from,b=at(e);
    from=mark=null;
    if(a!=null&&Math.abs(a-b)>6)set([value(Math.min(a,b)),value(Math.max(a,b))]);
  };
  svg.onpointerleave=e=>{hush();hover(null)};
  svg.ondblclick=()=>set(null);
}
// A chart is empty and drawn to the width that it has: draw(svg, width) returns its height.
function frame(title,draw,wide,...below){
  const svg=document.createElementNS(SVG,"svg");
  const paint=()=>{
    const w=Math.max(240,svg.parentNode?svg.parentNode.clientWidth-28:400);
    svg.replaceChildren();
    const h=draw(svg,w);
    svg.setAttribute("viewBox",`0 0 ${w} ${h}`);svg.style.height=h+"px";
  };
  redraw.push(paint);
  return [el("div",{class:wide?"card wide":"card"},title,svg,...below),svg,paint];
}
function smoothed(y){
  if(!view.smooth)return y;
  let mean=0,weight=0;
  return y.map(v=>{
    if(v==null||!isFinite(v))return v;
    mean=view.smooth*mean+(1-view.smooth)*v;weight=view.smooth*weight+1-view.smooth;
    return mean/weight;
  });
}
// series: {name, colour, dash, points: [{x, s, y}], smooth}; format: of values
function chart(name,series,format=num,zero=false){
  series=series.filter(s=>s.points.length);
  if(!series.length)return null;
  let log=false,box={},xs,lines=[],cross;
  const draw=(svg,w)=>{
    xs=view.range||view.all[view.by];
    const [low,high]=xs;
    let bottom=Infinity,top=-Infinity;
    lines=series.map(s=>{
      const y=s.smooth?smoothed(s.points.map(p=>p.y)):s.points.map(p=>p.y);
      const line=s.points.map((p,i)=>({x:p[view.by],y:log&&!(y[i]>0)?null:y[i],raw:p.y})).filter(p=>p.y!=null&&isFinite(p.y));
      for(const p of line)if(p.x>=low&&p.x<=high){bottom=Math.min(bottom,p.y);top=Math.max(top,p.y)}
      return line;
    });
    if(!(bottom<=top)){bottom=0;top=1}
    if(zero&&!log)bottom=0;
    const f=v=>log?Math.log10(v):v;
    let lo=f(bottom),hi=f(top),pad=(hi-lo)*.06||Math.abs(hi)*.1||1;
    hi+=pad;if(!zero||log)lo-=bottom>=0&&!log&&lo-pad<0&&bottom<top/2?lo:pad;
    let yt=zero&&format==bytes?byteTicks(hi):ticks(lo,hi,5);
    if(log){yt=ticks(Math.ceil(lo),Math.floor(hi),Math.min(6,Math.max(1,Math.floor(hi)-Math.ceil(lo)))).filter(Number.isInteger);if(yt.length<2)yt=ticks(lo,hi,4)}
    const label=v=>format(log?+(10**v).toPrecision(2):v);
    const h=230,left=Math.max(...yt.map(v=>label(v).length))*7+12;
    box={left,right:w-10,top:8,bottom:h-36};
    const px=v=>box.left+(v-low)/(high-low)*(box.right-box.left),py=v=>box.bottom-(f(v)-lo)/(hi-lo)*(box.bottom-box.top);
    for(const v of yt){
      const y=box.bottom-(v-lo)/(hi-lo)*(box.bottom-box.top);
      sv(svg,"path",{class:"g",d:`M${left} ${y}H${box.right}`});
      sv(svg,"text",{x:left-7,y:y+4,"text-anchor":"end"},label(v));
    }
    for(const v of ticks(low,high,w/90)){
      sv(svg,"path",{class:"x",d:`M${px(v)} ${box.bottom}v4`});
      sv(svg,"text",{x:px(v),y:box.bottom+17,"text-anchor":"middle"},num(v));
    }
    sv(svg,"path",{class:"x",d:`M${left} ${box.bottom}H${box.right}`});
    sv(svg,"text",{x:(left+box.right)/2,y:h-3,"text-anchor":"middle"},view.by=="x"?"epoch":"step");
    const clip="c"+redraw.length+name.replace(/\W/g,"");
    sv(sv(svg,"clipPath",{id:clip}),"rect",{x:left,y:0,width:box.right-left+2,height:box.bottom+2});
    lines.forEach((line,i)=>{
      const path=y=>{
        const d=line.map((p,k)=>(k?"L":"M")+px(p.x).toFixed(1)+" "+py(y(p)).toFixed(1)).join("");
        const s=sv(svg,"path",{class:"s",d:d+(line.length==1?"h0":""),"clip-path":`url(#${clip})`});
        s.style.stroke=series[i].colour;
        return s;
      };
      if(series[i].smooth&&view.smooth)path(p=>p.raw).style.opacity=.25;
      const s=path(p=>p.y);
      if(series[i].dash)s.setAttribute("stroke-dasharray","7 5");
      if(line.length<=40)for(const p of line)if(p.x>=low&&p.x<=high)sv(svg,"circle",{cx:px(p.x),cy:py(p.y),r:line.length==1?4:2.5,fill:series[i].colour});
    });
    cross=sv(svg,"path",{class:"x",d:""});
    return h;
  };
  const button=el("button",{title:"logarithmic axis",onclick:()=>{log=!log;button.className=log?"on":"";paint()}},"log");
  const keys=el("div",null,series.map(s=>el("span",{class:"key"},el("i",{style:`border-top-color:${s.colour};border-top-style:${s.dash?"dashed":"solid"}`}),s.name)));
  const [card,svg,paint]=frame(el("div",{class:"head"},el("h3",null,name),button),draw,false,keys);
  zoomable(svg,()=>box,()=>xs,r=>{view.range=r;drawAll()},(e,at,x)=>{
    cross&&cross.setAttribute("d",e?`M${at} ${box.top}V${box.bottom}`:"");
    if(!e)return;
    say(e,(view.by=="x"?"epoch ":"step ")+num(x),lines.map((line,i)=>{
      let best=null;
      for(const p of line)if(!best||Math.abs(p.x-x)<Math.abs(best.x-x))best=p;
      return best&&el("span",null,el("span",{style:`color:${series[i].colour}`},"\u25cf "),series[i].name+" "+format(best.raw,5));
    }).filter(Boolean));
  });
  return card;
}
// ---- bars in lanes: bars: [{lane, name, from, to, tip}]; waits are red; timelines with the same `scale` are zoomed together
function lanes(title,bars,note,scale={}){
  const names=[...new Set(bars.map(b=>b.lane))],whole=[0,scale.end||bars.reduce((a,b)=>Math.max(a,b.to),0)||1];
  let box={};
  const kinds=[...new Set(bars.map(b=>b.name))],waits=n=>n.startsWith("wait for "),colour=n=>waits(n)?"#cf222e":`hsl(${(kinds.indexOf(n)*137.5+200)%330+20} 55% 45%)`;
  const top=i=>i*44+18;
  const draw=(svg,w)=>{
    const [low,high]=scale.range||whole,h=names.length*44+44;
    box={left:4,right:w-4,top:0,bottom:h-32};
    const px=v=>box.left+(v-low)/(high-low)*(box.right-box.left);
    for(const v of ticks(low,high,w/90)){
      sv(svg,"path",{class:"g",d:`M${px(v)} 0V${box.bottom}`});
      sv(svg,"text",{x:Math.min(w-24,Math.max(20,px(v))),y:h-16,"text-anchor":"middle"},time(v/1e6));
    }
    names.forEach((n,i)=>sv(svg,"text",{x:4,y:top(i)-5},n));
    const drawn={};
    bars.forEach((b,i)=>{
      if(b.to<low||b.from>high)return;
      const x=Math.max(box.left,px(b.from)),width=Math.max(1,Math.min(box.right,px(b.to))-x),shown=waits(b.name)&&b.line||b.name;
      if(width<2&&x+width<drawn[b.lane]+.4)return;
      drawn[b.lane]=x+width;
      sv(svg,"rect",{x,y:top(names.indexOf(b.lane)),width,height:20,fill:colour(b.name),"data-i":i,rx:width>4?2:0});
      if(width>34){
        const fit=Math.floor(width/6.6);
        sv(svg,"text",{x:x+4,y:top(names.indexOf(b.lane))+14,style:"fill:#fff;pointer-events:none"},shown.length>fit?shown.slice(0,fit-1)+"\u2026":shown);
      }
    });
    return h;
  };
  const [card,svg,paint]=frame(el("h3",null,title),draw,true,el("p",{class:"soft"},note));
  zoomable(svg,()=>box,()=>scale.range||whole,r=>{scale.range=r;drawAll()},e=>{
    const b=e&&e.target.dataset&&bars[e.target.dataset.i];
    b?say(e,b.tip):hush();
  });
  return card;
}
