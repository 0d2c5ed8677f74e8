import { endOf, entryOf, lineOf } from "./recordingText.ts"
import type { RecordedStep } from "../inspect/why/recorded.ts"
import type { Entry, Header } from "./entry.ts"
import type { Item, Recorder, Wanted } from "./recorder.ts"

/** What of a recording is wanted. */
export interface ViewerWish extends Wanted {
  /** Whether it goes on with what happens from now on. */
  readonly watch: boolean
  /** What is known already: the number of the last entry, and of which recording. */
  readonly known: { readonly number: number; readonly id: string } | undefined
}

/** Somebody who is told of a recording at his own pace: nothing waits for him. */
export interface Viewer {
  /**
   * Lines that he has not been told, of not many more characters than that. Empty where there is nothing new; undefined
   * when it is over, because all has been told, or because what comes next is no longer kept.
   */
  readonly take: (charactersMax: number) => string | undefined
  /** What comes next is no longer kept. */
  readonly isLost: () => boolean
  /** Calls back where there may be something new. Returns how to stop. */
  readonly onMore: (listener: () => void) => () => void
}

/** Steps that are told again when it is known what came of them; beyond so many the first are told no more. */
const openMax = 10_000

/** `instance` tells the recordings of two servers apart whose clusters began alike. */
export const openViewer = (recorder: Recorder, wish: ViewerWish, instance: string): Viewer => {
  const { watch, objects } = wish
  const { header, items } = begin(recorder, wish, instance)
  const open = new Set<RecordedStep>()
  let queue = items
  let place = 0
  /** The number of the last thing that had happened when the queue was filled. */
  let cursor = recorder.lastNumber()
  const asked = recorder.time()
  let lines: Array<string> = []
  let entries = 0
  let toldMillis = 0
  let hasCaughtUp = false
  let isOver = false

  /** Of how many characters it is. */
  const tell = (entry: Entry): number => {
    const line = lineOf(entry)
    lines.push(line)
    entries += 1
    toldMillis = Math.max(toldMillis, entry.atMillis)
    return line.length
  }
  if (header !== undefined) tell(header)
  const tellItem = (item: Item): number => {
    const length = tell(entryOf(item))
    if (!("actor" in item) || item.isSettled) return length
    open.add(item)
    const [first] = open
    if (open.size > openMax && first !== undefined) open.delete(first)
    return length
  }
  /** Steps that were told before it was known what came of them, and of which it is known now. */
  const settled = (): ReadonlyArray<Item> => {
    const known = [...open].filter(({ isSettled }) => isSettled)
    for (const step of known) open.delete(step)
    return known
  }
  /** The next item; undefined where all has been told of what has happened until now. */
  const next = (): Item | undefined => {
    if (place === queue.length && watch) {
      const came = recorder.after(cursor, wish)
      isOver = came === undefined
      cursor = recorder.lastNumber()
      queue = came?.length === 0 ? settled() : (came ?? [])
      place = 0
    }
    const item = queue[place]
    place += item === undefined ? 0 : 1
    return item
  }
  /** Once all has been told: how late it is, where nothing else says so. */
  const catchUp = (): void => {
    const time = recorder.time()
    const isNews = !hasCaughtUp || (time.speed === 0 && time.atMillis !== toldMillis)
    if (objects && isNews) tell(time)
    hasCaughtUp = true
  }
  const finish = (): void => {
    isOver = true
    tell(endOf(asked, entries))
  }
  const take = (charactersMax: number): string | undefined => {
    for (let characters = 0; characters < charactersMax && !isOver;) {
      const item = next()
      if (item === undefined) {
        if (!isOver) (watch ? catchUp : finish)()
        break
      }
      characters += tellItem(item)
    }
    const text = lines.join("")
    lines = []
    // What is over without a last word has nothing more to say.
    return isOver && text === "" ? undefined : text
  }

  return {
    take,
    isLost: () => watch && objects && cursor < recorder.beginNumber(),
    onMore: (listener) => recorder.onStir(listener)
  }
}

/** From what is known on, or else from the beginning of what is kept. */
const begin = (
  recorder: Recorder,
  { known, objects, steps }: ViewerWish,
  instance: string
): { readonly header: Header | undefined; readonly items: ReadonlyArray<Item> } => {
  const written = recorder.header()
  const header = { ...written, id: `${written.id}-${instance}` }
  if (known?.id === header.id && known.number <= recorder.lastNumber()) {
    const items = recorder.after(known.number, { objects, steps })
    if (items !== undefined) return { header: undefined, items }
  }
  const later = recorder.after(objects ? header.number : 0, { objects, steps }) ?? []
  return { header, items: objects ? [...recorder.beginning(), ...later] : later }
}
