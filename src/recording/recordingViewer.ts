import { makeEndEntry, toRecordingEntry, entryLine } from "./recordingText.ts"
import type { RecordedStep } from "../explain/steps/recordedStep.ts"
import type { RecordingEntry, RecordingHeader } from "./entry.ts"
import type { ClusterRecorder, EntryFilter } from "./clusterRecorder.ts"
import type { RecordingItem } from "./entry.ts"

export interface ViewerRequest extends EntryFilter {
  /** Whether to continue with new entries. */
  readonly watch: boolean
  /** The last entry that the client has. */
  readonly resumeAfter: { readonly number: number; readonly id: string } | undefined
}

/** A client reads at its own pace; nothing waits for it. */
export interface RecordingViewer {
  /**
   * The next lines, of about `charactersMax` characters; empty without news, undefined at the end or after dropped
   * entries.
   */
  readonly takeLines: (charactersMax: number) => string | undefined
  /** Dropped steps do not count. */
  readonly hasLostEntries: () => boolean
  readonly onUpdate: (listener: () => void) => () => void
}

/** How many steps without results of their writes are remembered, to be sent again with the results. */
const unfinishedMax = 10_000

/** Steps that were sent without results: a client that reconnects may lack these. */
const sentUnfinished = new WeakSet<RecordedStep>()

/** `instance` distinguishes servers whose clusters started alike. */
export const openRecordingViewer = (
  recorder: ClusterRecorder,
  request: ViewerRequest,
  instance: string
): RecordingViewer => {
  const { watch, withObjects } = request
  const { header, items, unfinishedSteps } = startItems(recorder, request, instance)
  const unfinished = new Set(unfinishedSteps)
  let queue = items
  let queueIndex = 0
  let queuedUpTo = recorder.lastNumber()
  /** The end for a client that does not watch. */
  const endTime = recorder.currentTime()
  let lines: Array<string> = []
  let sentCount = 0
  let lastMillis = 0
  let hasCaughtUp = false
  let isOver = false

  const send = (entry: RecordingEntry): number => {
    const line = entryLine(entry)
    lines.push(line)
    sentCount += 1
    lastMillis = Math.max(lastMillis, entry.atMillis)
    return line.length
  }
  if (header !== undefined) send(header)
  const sendItem = (item: RecordingItem): number => {
    const length = send(toRecordingEntry(item))
    if (!("actor" in item) || isFinished(item)) return length
    unfinished.add(item)
    sentUnfinished.add(item)
    const [oldest] = unfinished
    if (unfinished.size > unfinishedMax && oldest !== undefined) unfinished.delete(oldest)
    return length
  }
  const takeFinished = (): ReadonlyArray<RecordingItem> => {
    const finished = [...unfinished].filter(isFinished)
    for (const step of finished) unfinished.delete(step)
    return finished
  }
  const nextItem = (): RecordingItem | undefined => {
    if (queueIndex === queue.length && watch) {
      const nextItems = recorder.after(queuedUpTo, request)
      isOver = nextItems === undefined
      queuedUpTo = recorder.lastNumber()
      // Finished steps come first: a client that resumes after a later entry has them.
      queue = nextItems === undefined ? [] : [...takeFinished(), ...nextItems]
      queueIndex = 0
    }
    const item = queue[queueIndex]
    queueIndex += item === undefined ? 0 : 1
    return item
  }
  /** Says that the client has all entries, or that a paused clock was moved. */
  const sendTime = (): void => {
    const time = recorder.currentTime()
    const isTimeNew = !hasCaughtUp || (time.speed === 0 && time.atMillis !== lastMillis)
    if (withObjects && isTimeNew) send(time)
    hasCaughtUp = true
  }
  const finish = (): void => {
    isOver = true
    send(makeEndEntry(endTime, sentCount))
  }
  const takeLines = (charactersMax: number): string | undefined => {
    for (let characters = 0; characters < charactersMax && !isOver;) {
      const item = nextItem()
      if (item === undefined) {
        if (!isOver) (watch ? sendTime : finish)()
        break
      }
      characters += sendItem(item)
    }
    const text = lines.join("")
    lines = []
    // The last lines are delivered before the end is reported.
    return isOver && text === "" ? undefined : text
  }

  return {
    takeLines,
    hasLostEntries: () => watch && withObjects && queuedUpTo < recorder.startNumber(),
    onUpdate: (listener) => recorder.onUpdate(listener)
  }
}

const isFinished = ({ finishedAfterNumber }: RecordedStep): boolean => finishedAfterNumber !== undefined

const startItems = (
  recorder: ClusterRecorder,
  { resumeAfter, withObjects, steps }: ViewerRequest,
  instance: string
): {
  readonly header: RecordingHeader | undefined
  readonly items: ReadonlyArray<RecordingItem>
  /** Steps to send again once they are finished. */
  readonly unfinishedSteps: ReadonlyArray<RecordedStep>
} => {
  const originalHeader = recorder.header()
  const header = { ...originalHeader, id: `${originalHeader.id}-${instance}` }
  if (resumeAfter?.id === header.id && resumeAfter.number <= recorder.lastNumber()) {
    const items = recorder.after(resumeAfter.number, { withObjects, steps })
    if (items !== undefined) {
      const { number } = resumeAfter
      // The client may have these steps without results: they were unfinished at its last entry.
      const sentBefore = recorder
        .steps(steps)
        .filter(
          (step) =>
            step.number <= number &&
            (step.finishedAfterNumber ?? number) >= number &&
            sentUnfinished.has(step)
        )
      return {
        header: undefined,
        items: [...sentBefore.filter(isFinished), ...items],
        unfinishedSteps: sentBefore.filter((step) => !isFinished(step))
      }
    }
  }
  // Together with objects, steps that are older than the first object entry are left out.
  const changes = recorder.after(withObjects ? recorder.startNumber() : 0, { withObjects, steps }) ?? []
  return {
    header,
    items: withObjects ? [...recorder.initialItems(), ...changes] : changes,
    unfinishedSteps: []
  }
}
