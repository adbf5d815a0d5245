/** The search box leaves the focus at the top of the page: after it is closed, the focus is where it was before. */
export function returnFocusFromSearch(): void {
  let before: Element | null = null;
  let isOpen = false;
  const remember = (event: Event): void => {
    if (!isOpen)
      before = event.type === "click" ? (event.target as Element).closest("button, a") : document.activeElement;
  };
  document.addEventListener("keydown", remember, true);
  document.addEventListener("click", remember, true);
  new MutationObserver(() => {
    const isThere = document.querySelector(".VPLocalSearchBox") !== null;
    const from = before;
    // a result that was chosen leads to another page, whose own focus stays
    if (isOpen && !isThere && from instanceof HTMLElement && from.isConnected) setTimeout(() => from.focus());
    isOpen = isThere;
  }).observe(document.body, { childList: true, subtree: true });
}
