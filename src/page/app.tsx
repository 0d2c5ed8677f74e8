import { ClockView } from "./moment/clockView.tsx"
import { FleetView } from "./fleet/fleetView.tsx"
import { HelpView } from "./helpView.tsx"
import { markWords } from "./fleet/marks.ts"
import { MomentView } from "./moment/momentView.tsx"
import { NodesView } from "./fleet/nodesView.tsx"
import { ObjectView } from "./object/objectView.tsx"
import { placeHash } from "./place.ts"
import { PlayerView } from "./moment/playerView.tsx"
import { ReportTabs } from "./reportTabs.tsx"
import { SourceView } from "./source/sourceView.tsx"
import { StandingView } from "./source/standingView.tsx"
import { TimelinePlace } from "./timeline/timelinePlace.tsx"
import { useEffect, useErrorBoundary } from "preact/hooks"
import { useKept } from "./useKept.ts"
import { useWorld } from "./world.ts"
import { sentenceOf } from "./source/connection.ts"
import type { Embedded } from "./source/embedded.ts"
import type { Kept } from "./kept.ts"
import type { Player } from "./moment/player.ts"

interface AppProps {
  readonly player: Player
  readonly embedded: ReadonlyArray<Embedded>
  readonly help: Kept<boolean>
}

/** The whole page. */
export const App = ({ player, embedded, help }: AppProps) => {
  const { source, said } = useWorld()
  const shown = useKept(source)
  const last = useKept(said)
  const isHelpWanted = useKept(help)
  return (
    <>
      <header class="top">
        <h1>Charthouse</h1>
        <ReportTabs />
        <SourceView embedded={embedded} />
        <ClockView />
        <StandingView />
        <button type="button" class="ask" aria-label="Help (?)" onClick={() => help.set(true)}>
          ?
        </button>
      </header>
      <p class="said" role="status" data-testid="said" data-refused={last?.refused === true}>
        {last?.text}
      </p>
      {shown?.type === "recording" && shown.notice !== undefined && (
        <p class="notice" role="status" data-testid="notice">
          {shown.notice}
        </p>
      )}
      {shown === undefined ? embedded.length === 0 && <NoToken /> : <Shown player={player} />}
      {isHelpWanted && <HelpView close={() => help.set(false)} />}
    </>
  )
}

/** What there is to see. Anybody may have written a recording: what cannot be shown is said. */
const Shown = ({ player }: { readonly player: Player }) => {
  const { place, source } = useWorld()
  const looked = useKept(place)
  const shown = useKept(source)
  const [problem, again] = useErrorBoundary()
  useEffect(again, [again, shown])
  if (problem !== undefined) {
    return (
      <p class="notice" role="alert" data-testid="problem">
        This cannot be shown: {sentenceOf(problem)}{" "}
        <button type="button" onClick={again}>
          try again
        </button>
      </p>
    )
  }
  return (
    <>
      <MomentView />
      <TimelinePlace />
      <PlayerView player={player} />
      <main class={looked === undefined ? "alone" : "beside"}>
        <nav aria-label="Fleet">
          <FleetView />
          <NodesView />
          <Legend />
        </nav>
        {looked !== undefined && <ObjectView key={placeHash(looked)} place={looked} />}
      </main>
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

/** Somebody has opened the page by another address than the one that was printed. */
const NoToken = () => (
  <main class="alone" data-testid="no-token">
    <p class="notice">
      This page was opened without its token, so the server tells it nothing. Open the whole address that{" "}
      <code>charthouse up</code> prints after <code># page</code>; it ends in <code>#token=…</code>. A
      recording in a file can be opened without one.
    </p>
  </main>
)
