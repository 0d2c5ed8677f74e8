import * as Effect from "effect/Effect"
import { formatDuration } from "../../kubernetes/meta/amounts/durations.ts"
import { failureSignature, findSameFailure } from "./failureSignature.ts"
import { partKey } from "./partKey.ts"
import { simplerStories } from "./simplerStories.ts"
import type { FailureSignature } from "./failureSignature.ts"
import type { Fault } from "../../faults/fault.ts"
import type { Story } from "../stories/story.ts"
import type { StoryFailure, StoryRun } from "../stories/storyRun.ts"

interface ShrunkStory {
  readonly story: Story
  readonly stepsAndFaults: number
  readonly stepsAndFaultsBefore: number
  readonly plays: number
  readonly writes: number
  /** False if a limit ended the search. */
  readonly isSmallest: boolean
}

/** Limits count work, not time: the same seed gives the same result on every machine. */
const defaultPlaysMax = 300
const defaultWritesMax = 300_000

/**
 * The result depends on story and seed only. Source: Zeller and Hildebrandt, "Simplifying and Isolating
 * Failure-Inducing Input" (the ddmin algorithm).
 */
export const shrinkStory = (options: {
  readonly story: Story
  readonly run: StoryRun
  readonly drawnFaults: ReadonlyArray<{ readonly atMillis: number; readonly fault: Fault }>
  /** Undefined if the story has become invalid. */
  readonly play: (story: Story) => Effect.Effect<StoryRun | undefined>
  readonly playsMax?: number
  readonly writesMax?: number
}): Effect.Effect<ShrunkStory> =>
  Effect.gen(function* () {
    const { story, run, drawnFaults } = options
    const [originalFailure] = run.failures
    // The result must be seen to fail, even if the original expected its failure.
    const { expectFailure: _expected, ...storyToFail } = story
    const seededStory: Story = { ...storyToFail, seed: run.seed }
    const stepsAndFaultsBefore = countStepsAndFaults(seededStory, drawnFaults.length)
    const signature = failureSignature(story, run)
    if (signature === undefined)
      return {
        story: seededStory,
        stepsAndFaults: stepsAndFaultsBefore,
        stepsAndFaultsBefore,
        plays: 0,
        writes: 0,
        isSmallest: false
      }

    const search: ShrinkSearch = {
      play: options.play,
      playsMax: options.playsMax ?? defaultPlaysMax,
      writesMax: options.writesMax ?? defaultWritesMax,
      signature,
      triedKeys: new Set(),
      failsWithoutSteps: false,
      plays: 0,
      writes: 0,
      isLimitReached: false
    }
    const storyWithoutSteps = withoutSteps(seededStory)
    search.failsWithoutSteps = (yield* findFailure(search, storyWithoutSteps)) !== undefined
    const stillFails: StillFails = (candidate) => failsAndIsUntried(search, candidate)
    const storyWithDrawnFaults = replaceWeatherByDrawnFaults(seededStory, drawnFaults)
    const firstStory = search.failsWithoutSteps
      ? storyWithoutSteps
      : storyWithDrawnFaults !== seededStory && (yield* stillFails(storyWithDrawnFaults))
        ? storyWithDrawnFaults
        : seededStory
    let smallestStory = firstStory
    for (;;) {
      const shorter = yield* removeParts(smallestStory, stillFails)
      const simpler = yield* simplify(shorter, stillFails, {
        keepReplicas: dependsOnReplicas(originalFailure)
      })
      if (simpler === smallestStory) break
      smallestStory = simpler
    }
    return {
      story: smallestStory,
      stepsAndFaults: countStepsAndFaults(smallestStory, drawnFaults.length),
      stepsAndFaultsBefore,
      plays: search.plays,
      writes: search.writes,
      isSmallest: !search.isLimitReached
    }
  })

interface ShrinkSearch {
  readonly play: (story: Story) => Effect.Effect<StoryRun | undefined>
  readonly playsMax: number
  readonly writesMax: number
  readonly signature: FailureSignature
  readonly triedKeys: Set<string>
  failsWithoutSteps: boolean
  plays: number
  writes: number
  isLimitReached: boolean
}

/** Plays the candidate, and finds the failure that all candidates are to have. */
const findFailure = Effect.fnUntraced(function* (search: ShrinkSearch, candidate: Story) {
  search.plays += 1
  const run = yield* search.play(candidate)
  search.writes += run?.writes ?? 0
  return findSameFailure(search.signature, candidate, run)
})

const failsAndIsUntried = Effect.fnUntraced(function* (search: ShrinkSearch, candidate: Story) {
  const key = partKey(candidate)
  if (search.triedKeys.has(key)) return false
  if (search.plays >= search.playsMax || search.writes >= search.writesMax) {
    search.isLimitReached = true
    return false
  }
  search.triedKeys.add(key)
  const failure = yield* findFailure(search, candidate)
  if (failure === undefined) return false
  if (search.failsWithoutSteps || failureMillis(failure) > 0) return true
  // A failure before any step is due to the initial objects.
  return (yield* findFailure(search, withoutSteps(candidate))) === undefined
})

const failureMillis = (failure: StoryFailure | undefined): number =>
  failure?.type === "violation" ? failure.violation.atMillis : (failure?.atMillis ?? 0)

/** With fewer replicas, conditions on numbers of Pods may fail for another reason. */
const dependsOnReplicas = (failure: StoryFailure | undefined): boolean =>
  failure?.type === "step" || (failure?.type === "violation" && failure.violation.rule === "invariant")

const withoutSteps = ({ faults: _faults, weather: _weather, ...story }: Story): Story => ({
  ...story,
  steps: []
})

const countStepsAndFaults = ({ steps, faults = [], weather }: Story, drawnCount: number): number =>
  steps.length + faults.length + (weather === undefined ? 0 : drawnCount)

const replaceWeatherByDrawnFaults = (
  story: Story,
  drawnFaults: ReadonlyArray<{ readonly atMillis: number; readonly fault: Fault }>
): Story => {
  const { weather, faults = [], ...rest } = story
  if (weather === undefined) return story
  const timedFaults = drawnFaults.map(({ atMillis, fault }) => ({ ...fault, at: formatDuration(atMillis) }))
  return { ...rest, faults: [...faults, ...timedFaults] }
}

type StillFails = (candidate: Story) => Effect.Effect<boolean>

const partLists = ["start", "behaviours", "invariants", "steps", "faults"] as const

interface Part {
  readonly listName: (typeof partLists)[number]
  readonly index: number
}

const partsOf = (story: Story): ReadonlyArray<Part> =>
  partLists.flatMap((listName) => (story[listName] ?? []).map((_item, index) => ({ listName, index })))

const keepOnlyParts = (story: Story, parts: ReadonlyArray<Part>): Story => {
  const remainingLists = partLists.map((listName) => {
    const indices = new Set(parts.flatMap((part) => (part.listName === listName ? [part.index] : [])))
    const items: ReadonlyArray<unknown> = story[listName] ?? []
    return [listName, items.filter((_item, index) => indices.has(index))] as const
  })
  const { start: _start, behaviours: _behaviours, invariants: _invariants, faults: _faults, ...rest } = story
  return {
    ...rest,
    ...Object.fromEntries(
      remainingLists.filter(([listName, { length }]) => length > 0 || listName === "steps")
    )
  }
}

const removeParts = Effect.fnUntraced(function* (story: Story, stillFails: StillFails) {
  let parts = partsOf(story)
  let smallest = story
  let chunkSize = Math.ceil(parts.length / 2)
  while (chunkSize >= 1) {
    let hasRemoved = false
    for (let end = parts.length; end > 0; end -= chunkSize) {
      const remaining = [...parts.slice(0, Math.max(0, end - chunkSize)), ...parts.slice(end)]
      const candidate = keepOnlyParts(story, remaining)
      if (!(yield* stillFails(candidate))) continue
      parts = remaining
      smallest = candidate
      hasRemoved = true
    }
    if (chunkSize === 1 && !hasRemoved) break
    chunkSize = chunkSize === 1 ? 1 : Math.ceil(chunkSize / 2)
  }
  return smallest
})

const simplify = Effect.fnUntraced(function* (
  story: Story,
  stillFails: StillFails,
  options: { readonly keepReplicas: boolean }
) {
  let simplest = story
  let firstUntried = 0
  for (let isSimpler = true; isSimpler;) {
    isSimpler = false
    for (const candidate of [...simplerStories(simplest, options)].slice(firstUntried)) {
      isSimpler = yield* stillFails(candidate)
      if (isSimpler) {
        simplest = candidate
        break
      }
      firstUntried += 1
    }
  }
  return simplest
})
