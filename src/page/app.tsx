import { ClockView } from "./moment/clockView.tsx"
import { FleetView } from "./fleet/fleetView.tsx"
import { podMarkTexts } from "./fleet/podMarks.ts"
import { NodesLine } from "./fleet/nodesLine.tsx"
import { addressHash } from "./pageAddress.ts"
import { PlayerView } from "./moment/playerView.tsx"
import { lazyView } from "./lazyView.tsx"
import { hasReport, ReportTabs } from "./reportTabs.tsx"
import { SourceView } from "./source/sourceView.tsx"
import { ConnectionView } from "./source/connectionView.tsx"
import { TimelinePanel } from "./timeline/timelinePanel.tsx"
import { useEffect, useErrorBoundary, useState } from "preact/hooks"
import { useSignal } from "./useSignal.ts"
import { usePageState } from "./pageState.ts"
import { errorText } from "../kubernetes/meta/text/errorText.ts"
import type { EmbeddedRecording } from "./source/embeddedRecordings.ts"
import type { Signal } from "./signal.ts"
import type { UserControls } from "./keyboard.ts"

const HelpView = lazyView((views) => views.HelpView)
const ObjectView = lazyView((views) => views.ObjectView)
const CompareView = lazyView((views) => views.CompareView)
const PaletteView = lazyView((views) => views.PaletteView)
const StoryView = lazyView((views) => views.StoryView)

const ReportStory = lazyView((views) => views.ReportStory)

interface PageControls extends UserControls {
  /** Whether a report is shown, and not its recording. */
  readonly reportOpen: Signal<boolean>
}

interface AppProps {
  readonly controls: PageControls
  readonly embedded: ReadonlyArray<EmbeddedRecording>
}

export const App = ({ controls, embedded }: AppProps) => {
  const state = usePageState()
  const { source, message } = state
  const { helpOpen, paletteOpen } = controls
  const currentSource = useSignal(source)
  const statusMessage = useSignal(message)
  const isHelpOpen = useSignal(helpOpen)
  const isPaletteOpen = useSignal(paletteOpen)
  const [showsControls, setShowsControls] = useState(false)
  return (
    <>
      <header class="top" data-controls={showsControls}>
        <h1>Charthouse</h1>
        <ReportTabs reportOpen={controls.reportOpen} />
        <SourceView embedded={embedded} />
        <ClockView />
        <ConnectionView />
        <button
          type="button"
          class="more"
          aria-expanded={showsControls}
          onClick={() => setShowsControls(!showsControls)}
        >
          Controls
        </button>
        <button
          type="button"
          class="dialog-button"
          title="Ctrl-K"
          disabled={currentSource === undefined}
          onClick={() => paletteOpen.set(true)}
        >
          Commands
        </button>
        <button type="button" class="dialog-button" aria-label="Help (?)" onClick={() => helpOpen.set(true)}>
          ?
        </button>
      </header>
      <p
        class="status-message"
        role="status"
        data-testid="status-message"
        data-refused={statusMessage?.isError === true}
      >
        {statusMessage?.text}
      </p>
      {currentSource?.type === "recording" && currentSource.notice !== undefined && (
        <p class="notice" role="status" data-testid="notice">
          {currentSource.notice}
        </p>
      )}
      {currentSource === undefined ? (
        embedded.length === 0 && <NoToken />
      ) : (
        <SourceContent controls={controls} />
      )}
      {isPaletteOpen && (
        <PaletteView state={state} controls={controls} close={() => paletteOpen.set(false)} />
      )}
      {isHelpOpen && <HelpView close={() => helpOpen.set(false)} />}
    </>
  )
}

/** A recording may be malformed: an error while drawing is shown instead. */
const SourceContent = ({ controls }: Pick<AppProps, "controls">) => {
  const { selected, source } = usePageState()
  const selectedAddress = useSignal(selected)
  const currentSource = useSignal(source)
  const isReportOpen = useSignal(controls.reportOpen)
  const [problem, retry] = useErrorBoundary()
  useEffect(retry, [retry, currentSource])
  // On a phone the page itself scrolls: to the top for a selected object, and back for the fleet.
  useEffect(() => {
    if (selectedAddress === undefined) return
    const top = window.scrollY
    window.scrollTo({ top: 0 })
    return () => window.scrollTo({ top })
  }, [selectedAddress])
  if (problem !== undefined) {
    return (
      <p class="notice" role="alert" data-testid="problem">
        This cannot be shown: {errorText(problem)}{" "}
        <button type="button" onClick={retry}>
          try again
        </button>
      </p>
    )
  }
  return (
    <>
      <TimelinePanel />
      <PlayerView player={controls.player} story={controls.story} />
      {/* The recording told in sentences: of the selected workload, or of all, as a report needs. */}
      <StoryView story={controls.story} coversAllWorkloads={hasReport && isReportOpen} />
      {hasReport && <ReportStory reportOpen={controls.reportOpen} story={controls.story} />}
      <CompareView />
      <main class={selectedAddress === undefined ? "alone" : "beside"}>
        <nav aria-label="Fleet">
          <FleetView />
          <NodesLine />
          <Legend />
        </nav>
        {selectedAddress !== undefined && (
          <ObjectView key={addressHash(selectedAddress)} address={selectedAddress} />
        )}
      </main>
    </>
  )
}

const Legend = () => (
  <ul class="legend" aria-label="What the marks mean">
    {Object.entries(podMarkTexts).map(([mark, text]) => (
      <li key={mark}>
        <span class="pod" data-mark={mark} /> {text}
      </li>
    ))}
  </ul>
)

const NoToken = () => (
  <main class="alone" data-testid="no-token">
    <p class="notice">
      This page was opened without its token, so the server tells it nothing. Open the whole address that{" "}
      <code>charthouse up</code> prints after <code># page</code>; it ends in <code>#token=…</code>. A
      recording in a file can be opened without one.
    </p>
  </main>
)
