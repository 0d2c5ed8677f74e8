import { showRecording } from "./showRecording.ts"
import { openFile } from "./openFile.ts"
import { useSignal } from "../useSignal.ts"
import { useRef } from "preact/hooks"
import { usePageState } from "../pageState.ts"
import type { EmbeddedRecording } from "./embeddedRecordings.ts"

export const SourceView = ({ embedded }: { readonly embedded: ReadonlyArray<EmbeddedRecording> }) => {
  const state = usePageState()
  const { connection, source, liveHistory } = state
  const currentSource = useSignal(source)
  const file = useRef<HTMLInputElement>(null)
  const isRecording = currentSource?.type === "recording"
  const showLiving = (): void => {
    source.set({ type: "living" })
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
      {isRecording && connection !== undefined && (
        <button type="button" onClick={showLiving}>
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
