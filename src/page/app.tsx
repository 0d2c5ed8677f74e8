import { ClockView } from "./clockView.tsx"
import { FleetView } from "./fleetView.tsx"
import { markWords } from "./marks.ts"
import { NodesView } from "./nodesView.tsx"
import { ObjectView } from "./objectView.tsx"
import { placeHash } from "./place.ts"
import { useKept } from "./kept.ts"
import { useWorld } from "./world.ts"
import type { Kept } from "./kept.ts"

/** The whole page. */
export const App = ({ help }: { readonly help: Kept<boolean> }) => {
  const { connection, place, said } = useWorld()
  const standing = useKept(connection.standing)
  const looked = useKept(place)
  const last = useKept(said)
  const isHelpWanted = useKept(help)
  const { state } = standing
  return (
    <>
      <header class="top">
        <h1>Charthouse</h1>
        <ClockView />
        <span class="standing" data-testid="standing" data-standing={state}>
          {state === "live" ? "● live" : state === "connecting" ? "…" : "✕ not connected"}
        </span>
        <button type="button" aria-label="Help (?)" onClick={() => help.set(true)}>
          ?
        </button>
      </header>
      {"why" in standing && (
        <p class="notice lost" role="alert" data-testid="lost">
          {standing.why}
        </p>
      )}
      <p class="said" role="status" data-testid="said" data-refused={last?.refused === true}>
        {last?.text}
      </p>
      <main class={looked === undefined ? "alone" : "beside"}>
        <nav aria-label="Fleet">
          <FleetView />
          <NodesView />
          <Legend />
        </nav>
        {looked !== undefined && <ObjectView key={placeHash(looked)} place={looked} />}
      </main>
      {isHelpWanted && <Help close={() => help.set(false)} />}
    </>
  )
}

const Legend = () => (
  <ul class="legend" aria-label="What the marks mean">
    {Object.entries(markWords).map(([mark, words]) => (
      <li key={mark}>
        <span class="pod" data-mark={mark} /> {words}
      </li>
    ))}
  </ul>
)

const keys: ReadonlyArray<readonly [key: string, what: string]> = [
  ["↑ ↓ ← →", "to the next Deployment, revision, Pod or step"],
  ["Enter", "looks at it; at a step: lights the chart as it was then"],
  ["Escape", "back to the fleet"],
  ["?", "this"]
]

const Help = ({ close }: { readonly close: () => void }) => (
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

/** Somebody has opened the page by another address than the one that was printed. */
export const NoToken = () => (
  <main class="alone" data-testid="no-token">
    <h1>Charthouse</h1>
    <p class="notice">
      This page was opened without its token, so the server tells it nothing. Open the whole address that{" "}
      <code>charthouse up</code> prints after <code># page</code>; it ends in <code>#token=…</code>.
    </p>
  </main>
)
