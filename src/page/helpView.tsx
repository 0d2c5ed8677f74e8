const keys: ReadonlyArray<readonly [key: string, effect: string]> = [
  ["↑ ↓ ← →", "to the next workload, revision, Pod or step"],
  ["Enter", "opens the object; on a step: shows the cluster at that step"],
  ["/", "searches the workloads by kind, name, namespace or image"],
  ["Space", "plays the recording, or pauses it"],
  ["S N P", "tells the story, sentence by sentence; the next or previous sentence"],
  ["M", "pins this moment, to see another beside it"],
  ["Y", "copies a link to this moment"],
  ["Ctrl K", "finds commands and objects by their words"],
  [", .", "one entry back or forward"],
  ["[ ]", "to the previous or next change of the opened object"],
  ["< >", "plays slower or faster"],
  ["Shift ← →", "on the timeline: to the previous or next mark"],
  ["+ − 0", "on the timeline: zoom in, zoom out, show all"],
  ["Home End", "to the beginning; to now or the end of the recording"],
  ["Escape", "back to now, then back to the fleet"],
  ["?", "this help"]
]

export const HelpView = ({ close }: { readonly close: () => void }) => (
  <div class="help" role="dialog" aria-label="Keys">
    <h2>Keys</h2>
    <dl>
      {keys.map(([key, effect]) => (
        <div key={key}>
          <dt>{key}</dt>
          <dd>{effect}</dd>
        </div>
      ))}
    </dl>
    <button type="button" onClick={close}>
      Close
    </button>
  </div>
)
