import * as Effect from "effect/Effect"
import { formatDuration } from "../../kubernetes/meta/amounts/durations.ts"
import { failureSignature, failsSameWay } from "./failureSignature.ts"
import { partIdentity } from "./partIdentity.ts"
import { simplerStories } from "./simplerStories.ts"
import type { Fault } from "../../faults/fault.ts"
import type { Story } from "../stories/story.ts"
import type { StoryFailure, StoryRun } from "../stories/storyRun.ts"

interface ShrunkStory {
  readonly story: Story
  /** Number of steps and faults. */
  readonly parts: number
  readonly partsBefore: number
  readonly plays: number
  readonly writes: number
  /** Whether nothing more can be removed or simplified; otherwise a limit was reached. */
  readonly isLeast: boolean
}

/** Limits count work, not time, so that the same seed gives the same result on every machine. */
const defaultPlaysMax = 300
const defaultWritesMax = 300_000

/**
 * Shrinks a failing story as long as it fails the same way. Removes halves, quarters and so on down to single steps,
 * faults, objects and invariants; then makes amounts and durations smaller and rounder; repeats both until nothing
 * changes. The result depends on story and seed only.
 *
 * Source: Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input" (the ddmin algorithm).
 */
export const shrinkStory = (options: {
  readonly story: Story
  readonly run: StoryRun
  /** The faults that the seed drew from the story's `weather`. */
  readonly drawn: ReadonlyArray<{ readonly atMillis: number; readonly fault: Fault }>
  /** Plays a story with its own seed; undefined if the story became invalid. */
  readonly play: (story: Story) => Effect.Effect<StoryRun | undefined>
  readonly playsMax?: number
  readonly writesMax?: number
}): Effect.Effect<ShrunkStory> =>
  Effect.gen(function* () {
    const { story, run, drawn, play, playsMax = defaultPlaysMax, writesMax = defaultWritesMax } = options
    const [failure] = run.failures
    // The result has to be seen failing, even if the original story expected its failure.
    const { expectFailure: _expected, ...storyToFail } = story
    const seededStory: Story = { ...storyToFail, seed: run.seed }
    const partsBefore = countParts(seededStory, drawn.length)
    const signature = failureSignature(story, run)
    if (signature === undefined)
      return { story: seededStory, parts: partsBefore, partsBefore, plays: 0, writes: 0, isLeast: false }

    const tried = new Set<string>()
    let [plays, writes, isUsedUp] = [0, 0, false]
    const isWithinLimits = (): boolean => plays < playsMax && writes < writesMax
    const playOnce = (candidate: Story): Effect.Effect<StoryRun | undefined> =>
      Effect.suspend(() => {
        plays += 1
        return Effect.tap(play(candidate), (played) =>
          Effect.sync(() => {
            writes += played?.writes ?? 0
          })
        )
      })
    const storyWithoutSteps = withoutSteps(seededStory)
    const failsWithoutSteps =
      failsSameWay(signature, storyWithoutSteps, yield* playOnce(storyWithoutSteps)) !== undefined
    const stillFails = Effect.fnUntraced(function* (candidate: Story) {
      const identity = partIdentity(candidate)
      isUsedUp ||= !isWithinLimits() && !tried.has(identity)
      if (tried.has(identity) || !isWithinLimits()) return false
      tried.add(identity)
      const failure = failsSameWay(signature, candidate, yield* playOnce(candidate))
      if (failure === undefined) return false
      if (failsWithoutSteps || failureMillis(failure) > 0) return true
      // Refuses candidates that fail before any step: then the initial objects are the cause, not the steps.
      const candidateWithoutSteps = withoutSteps(candidate)
      return (
        failsSameWay(signature, candidateWithoutSteps, yield* playOnce(candidateWithoutSteps)) === undefined
      )
    })

    const withDrawnFaults = replaceWeather(seededStory, drawn)
    // If the initial objects alone fail, no step or fault matters.
    const first = failsWithoutSteps
      ? storyWithoutSteps
      : withDrawnFaults !== seededStory && (yield* stillFails(withDrawnFaults))
        ? withDrawnFaults
        : seededStory
    let least = first
    for (;;) {
      const shorter = yield* removeParts(least, stillFails)
      const simpler = yield* simplify(shorter, stillFails, { keepSizes: countsPods(failure) })
      if (simpler === least) break
      least = simpler
    }
    return {
      story: least,
      parts: countParts(least, drawn.length),
      partsBefore,
      plays,
      writes,
      isLeast: !isUsedUp
    }
  })

const failureMillis = (failure: StoryFailure | undefined): number =>
  failure?.type === "violation" ? failure.violation.atMillis : (failure?.atMillis ?? 0)

/** Invariants and steps of a story assume its numbers of Pods; Kubernetes' own rules hold for any number. */
const countsPods = (failure: StoryFailure | undefined): boolean =>
  failure?.type === "step" || (failure?.type === "violation" && failure.violation.rule === "invariant")

const withoutSteps = ({ faults: _faults, weather: _weather, ...story }: Story): Story => ({
  ...story,
  steps: []
})

/** `weather` counts as the faults that the seed drew. */
const countParts = ({ steps, faults = [], weather }: Story, drawn: number): number =>
  steps.length + faults.length + (weather === undefined ? 0 : drawn)

const replaceWeather = (
  story: Story,
  drawn: ReadonlyArray<{ readonly atMillis: number; readonly fault: Fault }>
): Story => {
  const { weather, faults = [], ...rest } = story
  if (weather === undefined) return story
  const drawnFaults = drawn.map(({ atMillis, fault }) => ({ ...fault, at: formatDuration(atMillis) }))
  return { ...rest, faults: [...faults, ...drawnFaults] }
}

type StillFails = (candidate: Story) => Effect.Effect<boolean>

/** Lists of a story whose items may be removed. */
const partLists = ["start", "behaviours", "invariants", "steps", "faults"] as const

interface Part {
  readonly listName: (typeof partLists)[number]
  readonly index: number
}

const partsOf = (story: Story): ReadonlyArray<Part> =>
  partLists.flatMap((listName) => (story[listName] ?? []).map((_item, index) => ({ listName, index })))

const withParts = (story: Story, parts: ReadonlyArray<Part>): Story => {
  const remaining = partLists.map((listName) => {
    const indices = new Set(parts.flatMap((part) => (part.listName === listName ? [part.index] : [])))
    const items: ReadonlyArray<unknown> = story[listName] ?? []
    return [listName, items.filter((_item, index) => indices.has(index))] as const
  })
  const { start: _start, behaviours: _behaviours, invariants: _invariants, faults: _faults, ...rest } = story
  // Empty lists are omitted, but a story needs `steps`.
  return {
    ...rest,
    ...Object.fromEntries(remaining.filter(([listName, { length }]) => length > 0 || listName === "steps"))
  }
}

/** From the end, so that steps after the failure go first. */
const removeParts = Effect.fnUntraced(function* (story: Story, stillFails: StillFails) {
  let parts = partsOf(story)
  let least = story
  let size = Math.ceil(parts.length / 2)
  while (size >= 1) {
    let hasRemoved = false
    for (let end = parts.length; end > 0; end -= size) {
      const rest = [...parts.slice(0, Math.max(0, end - size)), ...parts.slice(end)]
      const candidate = withParts(story, rest)
      if (!(yield* stillFails(candidate))) continue
      parts = rest
      least = candidate
      hasRemoved = true
    }
    if (size === 1 && !hasRemoved) break
    size = size === 1 ? 1 : Math.ceil(size / 2)
  }
  return least
})

/** Tries the remaining simplifications after a success; earlier ones get another chance in the next round. */
const simplify = Effect.fnUntraced(function* (
  story: Story,
  stillFails: StillFails,
  sizes: { readonly keepSizes: boolean }
) {
  let least = story
  let firstUntried = 0
  for (let isSimpler = true; isSimpler;) {
    isSimpler = false
    for (const candidate of [...simplerStories(least, sizes)].slice(firstUntried)) {
      isSimpler = yield* stillFails(candidate)
      if (isSimpler) {
        least = candidate
        break
      }
      firstUntried += 1
    }
  }
  return least
})
