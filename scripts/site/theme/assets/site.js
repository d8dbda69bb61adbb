// The theme puts the button that copies a block of code into a navigation landmark without a name, one for each block.
new MutationObserver(() => {
    for (const landmark of document.querySelectorAll("nav.md-code__nav")) {
        const part = document.createElement("div");
        part.className = landmark.className;
        part.append(...landmark.childNodes);
        landmark.replaceWith(part);
    }
}).observe(document.body, { childList: true, subtree: true });
