import { makeSignal } from "../signal.ts"
import { latestMoment } from "../history/moment.ts"
import type { Signal } from "../signal.ts"
import type { StorySentence } from "./storySentence.ts"
import type { MomentOrLatest } from "../history/moment.ts"

export interface StoryPlayer {
  readonly sentences: Signal<ReadonlyArray<StorySentence>>
  readonly isOpen: Signal<boolean>
  readonly isTelling: Signal<boolean>
  /** -1 before the first. */
  readonly shownIndex: () => number
  readonly show: (index: number) => void
  readonly go: (direction: 1 | -1) => void
  readonly toggle: () => void
}

/** Time to read a sentence and to look at its object. */
const [readMillisMin, readMillisMax, characterMillis] = [1600, 6000, 55]

const readingMillis = (text: string): number =>
  Math.min(readMillisMax, readMillisMin + text.length * characterMillis)

interface ShownMoment {
  readonly moment: Signal<MomentOrLatest>
  readonly showMoment: (moment: MomentOrLatest) => void
}

export const makeStoryPlayer = (
  { moment, showMoment }: ShownMoment,
  /** The player of the recording stops when the story begins. */
  player: { readonly pause: () => void }
): StoryPlayer => {
  const sentences = makeSignal<ReadonlyArray<StorySentence>>([])
  const isOpen = makeSignal(false)
  const isTelling = makeSignal(false)
  /** The chosen sentence, since several sentences may have one moment. */
  let chosen: { readonly index: number; readonly moment: MomentOrLatest } | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  /** Sentences are made only while the story is open: playing waits for the first one. */
  let awaitsSentences = false

  const shownIndex = (): number => {
    const shown = moment.get()
    if (chosen !== undefined && chosen.moment === shown) return chosen.index
    return sentences.get().findLastIndex(({ number }) => number <= (shown ?? Infinity))
  }
  const stop = (): void => {
    clearTimeout(timer)
    awaitsSentences = false
    isTelling.set(false)
  }
  const showSentence = (index: number): boolean => {
    const sentence = sentences.get()[index]
    if (sentence === undefined) return false
    chosen = undefined
    showMoment(sentence.number)
    chosen = { index, moment: moment.get() }
    return true
  }
  const tellFrom = (index: number): void => {
    const isShown = showSentence(index)
    if (!isShown) {
      stop()
      return showMoment(latestMoment)
    }
    timer = setTimeout(() => tellFrom(index + 1), readingMillis(sentences.get()[index]?.text ?? ""))
  }
  sentences.listen(() => {
    if (!awaitsSentences || sentences.get().length === 0) return
    awaitsSentences = false
    tellFrom(0)
  })
  // The user who moves the page elsewhere wants to stay there.
  moment.listen(() => {
    if (chosen !== undefined && chosen.moment !== moment.get()) stop()
  })
  const show = (index: number): void => {
    stop()
    player.pause()
    showSentence(index)
  }
  return {
    sentences,
    isOpen,
    isTelling,
    shownIndex,
    show,
    go: (direction) => {
      isOpen.set(true)
      show(Math.max(0, Math.min(sentences.get().length - 1, shownIndex() + direction)))
    },
    toggle: () => {
      if (isTelling.get()) return stop()
      isOpen.set(true)
      player.pause()
      const index = shownIndex()
      isTelling.set(true)
      awaitsSentences = sentences.get().length === 0
      if (!awaitsSentences)
        tellFrom(moment.get() === undefined || index >= sentences.get().length - 1 ? 0 : index + 1)
    }
  }
}
