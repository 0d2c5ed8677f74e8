import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { makeSignal } from "../../../src/page/signal.ts"
import { makeStoryPlayer } from "../../../src/page/story/storyPlayer.ts"
import type { StorySentence } from "../../../src/page/story/storySentence.ts"

const sentence = (number: number, text = `sentence at ${number}`): StorySentence => ({
  number,
  atMillis: number * 1000,
  text,
  tone: "plain"
})

const story = () => {
  const moment = makeSignal<number | undefined>(undefined)
  const player = makeStoryPlayer({ moment, showMoment: moment.set }, { pause: () => undefined })
  player.sentences.set([sentence(3), sentence(7), sentence(7, "another of the same moment"), sentence(12)])
  return { moment, player }
}

describe("a story that is told", () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it("shows the moment of one sentence after the other, and ends where it is now", () => {
    const { moment, player } = story()
    player.toggle()
    const shown: Array<readonly [number | undefined, number]> = []
    for (let turn = 0; turn < 5; turn += 1) {
      shown.push([moment.get(), player.shownIndex()])
      vi.advanceTimersToNextTimer()
    }
    expect(shown).toEqual([
      [3, 0],
      [7, 1],
      [7, 2],
      [12, 3],
      [undefined, 3]
    ])
    expect(player.isTelling.get()).toBe(false)
  })

  it("stops when the user goes to another moment, which stays", () => {
    const { moment, player } = story()
    player.toggle()
    moment.set(9)
    expect([player.isTelling.get(), player.shownIndex()]).toEqual([false, 2])
    vi.runAllTimers()
    expect(moment.get()).toBe(9)
  })

  it("begins when its sentences have been read", () => {
    const moment = makeSignal<number | undefined>(undefined)
    const player = makeStoryPlayer({ moment, showMoment: moment.set }, { pause: () => undefined })
    player.toggle()
    expect([player.isOpen.get(), moment.get()]).toEqual([true, undefined])
    player.sentences.set([sentence(5)])
    expect([player.isTelling.get(), moment.get()]).toEqual([true, 5])
  })

  it("goes to the sentence before and the next one", () => {
    const { moment, player } = story()
    player.go(-1)
    expect([moment.get(), player.shownIndex()]).toEqual([7, 2])
    player.go(-1)
    expect([moment.get(), player.shownIndex()]).toEqual([7, 1])
    player.go(1)
    player.go(1)
    player.go(1)
    expect([moment.get(), player.shownIndex()]).toEqual([12, 3])
  })
})
