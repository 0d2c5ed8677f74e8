const keys: ReadonlyArray<readonly [key: string, what: string]> = [
  ["↑ ↓ ← →", "to the next Deployment, revision, Pod or step"],
  ["Enter", "looks at it; at a step: shows everything as it was then"],
  ["Space", "plays what has happened, or holds it"],
  [", .", "one entry back or on"],
  ["[ ]", "to what happened before or next to what is looked at"],
  ["< >", "plays slower or faster"],
  ["Shift ← →", "on the timeline: to the thing before or next that has a mark"],
  ["+ − 0", "on the timeline: less of the time, more of it, all of it"],
  ["Home End", "to the beginning; to now, or the end of a recording"],
  ["Escape", "back to now, then back to the fleet"],
  ["?", "this"]
]

export const HelpView = ({ close }: { readonly close: () => void }) => (
  <div class="help" role="dialog" aria-label="Keys">
    <h2>Keys</h2>
    <dl>
      {keys.map(([key, what]) => (
        <div key={key}>
          <dt>{key}</dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
    <button type="button" onClick={close}>
      Close
    </button>
  </div>
)
