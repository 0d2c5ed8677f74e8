import { showRecording } from "./showRecording.ts"
import { openFile } from "./openFile.ts"
import { useSignal } from "../useSignal.ts"
import { useRef } from "preact/hooks"
import { usePageState } from "../pageState.ts"
import type { EmbeddedRecording } from "./embeddedRecordings.ts"
import type { OpenedRecording } from "./pageSource.ts"

export const SourceView = ({ embedded }: { readonly embedded: ReadonlyArray<EmbeddedRecording> }) => {
  const state = usePageState()
  const { connection, source, liveHistory } = state
  const currentSource = useSignal(source)
  const file = useRef<HTMLInputElement>(null)
  const isRecording = currentSource?.type === "recording"
  const showLive = (): void => {
    source.set({ type: "live" })
    // Entries have arrived while a recording was shown.
    liveHistory.get().publish()
  }
  return (
    <div class="source">
      {isRecording && embedded.length < 2 && (
        <span class="title" data-testid="recording">
          <span class="quiet">recording</span> {currentSource.title}
        </span>
      )}
      {embedded.length > 1 && (
        <select
          aria-label="Recording"
          value={isRecording ? currentSource.title : ""}
          onChange={({ currentTarget: { selectedIndex } }) => {
            const recording = embedded[selectedIndex]
            if (recording !== undefined) void showRecording(state, recording.title, recording.open())
          }}
        >
          {embedded.map(({ title }, index) => (
            <option key={index} value={title}>
              {title}
            </option>
          ))}
        </select>
      )}
      {isRecording && embedded.length > 1 && (
        <ComparisonSelect embedded={embedded} shownRecording={currentSource} />
      )}
      {isRecording && connection !== undefined && (
        <button type="button" onClick={showLive}>
          back to the cluster
        </button>
      )}
      <button type="button" class="open" title="Or drop its file here" onClick={() => file.current?.click()}>
        Open a recording
      </button>
      <input
        ref={file}
        type="file"
        hidden
        aria-label="File of a recording"
        onChange={({ currentTarget }) => {
          const [recording] = currentTarget.files ?? []
          if (recording !== undefined) void openFile(state, recording)
          currentTarget.value = ""
        }}
      />
    </div>
  )
}

interface ComparisonSelectProps {
  readonly embedded: ReadonlyArray<EmbeddedRecording>
  readonly shownRecording: OpenedRecording
}

const ComparisonSelect = ({ embedded, shownRecording }: ComparisonSelectProps) => {
  const { comparison, source, message } = usePageState()
  const compared = useSignal(comparison)
  const others = embedded.filter(({ title }) => title !== shownRecording.title)
  const compareWith = async ({ title, open }: EmbeddedRecording): Promise<void> => {
    const recording = await open()
    if (source.get() !== shownRecording) return
    if ("problem" in recording) return message.set({ text: `${title}: ${recording.problem}`, isError: true })
    comparison.set({ type: "recording", recording })
  }
  return (
    <select
      aria-label="Recording beside it"
      value={compared?.type === "recording" ? compared.recording.title : ""}
      onChange={({ currentTarget: { selectedIndex } }) => {
        const recording = others[selectedIndex - 1]
        if (recording === undefined) comparison.set(undefined)
        else void compareWith(recording)
      }}
    >
      <option value="">nothing beside it</option>
      {others.map(({ title }) => (
        <option key={title} value={title}>
          beside {title}
        </option>
      ))}
    </select>
  )
}
