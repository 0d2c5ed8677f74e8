import { open } from "./open.ts"
import { openFile } from "./opening.ts"
import { useKept } from "../useKept.ts"
import { useRef } from "preact/hooks"
import { useWorld } from "../world.ts"
import type { Embedded } from "./embedded.ts"

/** What is shown, and what else could be: the living cluster, a recording of this page, one of a file. */
export const SourceView = ({ embedded }: { readonly embedded: ReadonlyArray<Embedded> }) => {
  const world = useWorld()
  const { connection, source, living } = world
  const shown = useKept(source)
  const file = useRef<HTMLInputElement>(null)
  const isRecording = shown?.type === "recording"
  const backToLiving = (): void => {
    source.set({ type: "living" })
    living.get().tell()
  }
  return (
    <div class="source">
      {isRecording && embedded.length < 2 && (
        <span class="title" data-testid="recording">
          <span class="quiet">recording</span> {shown.title}
        </span>
      )}
      {embedded.length > 1 && (
        <select
          aria-label="Recording"
          value={isRecording ? shown.title : ""}
          onChange={({ currentTarget: { selectedIndex } }) => {
            const chosen = embedded[selectedIndex]
            if (chosen !== undefined) void open(world, chosen.title, chosen.open())
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
        <button type="button" onClick={backToLiving}>
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
          const [chosen] = currentTarget.files ?? []
          if (chosen !== undefined) void openFile(world, chosen)
          currentTarget.value = ""
        }}
      />
    </div>
  )
}
