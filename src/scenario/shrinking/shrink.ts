import * as Effect from "effect/Effect"
import { formatDuration } from "../../domain/durations.ts"
import { failingWay, failsSameWay } from "./failingWay.ts"
import { identityOf } from "./identity.ts"
import { simplerStories } from "./simpler.ts"
import type { Fault } from "../../faults/fault.ts"
import type { Story } from "../stories/story.ts"
import type { StoryFailure, StoryRun } from "../stories/storyRun.ts"

/** The least of a story that was found to fail in the same way. */
interface ShrunkStory {
  readonly story: Story
  /** How many steps and faults it has, and how many there were. */
  readonly parts: number
  readonly partsBefore: number
  readonly plays: number
  /** How many writes there were in those. */
  readonly writes: number
  /** Whether nothing more can be left out or made simpler; otherwise the plays, or their writes, were used up. */
  readonly isLeast: boolean
}

/** Bounds that take as long anywhere as they take, so that the same seed comes to the same bytes everywhere. */
const playsDefault = 300
const writesDefault = 300_000

/**
 * Makes a story that failed with a seed smaller and simpler as long as it fails in the same way: by the rule that it
 * broke, or the step that failed, before anything else does. First whatever can be left out goes, in halves, quarters
 * and so on down to single steps, faults, objects and invariants; then amounts and times become smaller and rounder;
 * and so on until neither comes to anything. The same story and seed give the same least one.
 *
 * Source: Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input" (the ddmin algorithm).
 */
export const shrink = (options: {
  readonly story: Story
  /** What came of it with the seed that is looked at. */
  readonly run: StoryRun
  /** What the seed has drawn of the weather. */
  readonly drawn: ReadonlyArray<{ readonly atMillis: number; readonly fault: Fault }>
  /** Plays a story with its own seed; undefined for one that makes no sense any more. */
  readonly play: (story: Story) => Effect.Effect<StoryRun | undefined>
  readonly playsMax?: number
  readonly writesMax?: number
}): Effect.Effect<ShrunkStory> =>
  Effect.gen(function* () {
    const { story, run, drawn, play, playsMax = playsDefault, writesMax = writesDefault } = options
    const [failure] = run.failures
    // The least that is found is to be seen failing, whatever its story expected.
    const { expectFailure: _expected, ...told } = story
    const seeded: Story = { ...told, seed: run.seed }
    const partsBefore = countOf(seeded, drawn.length)
    const wanted = failingWay(story, run)
    if (wanted === undefined)
      return { story: seeded, parts: partsBefore, partsBefore, plays: 0, writes: 0, isLeast: false }

    const tried = new Set<string>()
    let [plays, writes, isUsedUp] = [0, 0, false]
    const mayPlay = (): boolean => plays < playsMax && writes < writesMax
    const playOnce = (candidate: Story): Effect.Effect<StoryRun | undefined> =>
      Effect.suspend(() => {
        plays += 1
        return Effect.tap(play(candidate), (played) =>
          Effect.sync(() => {
            writes += played?.writes ?? 0
          })
        )
      })
    const world = withoutDeeds(seeded)
    const isOfWorld = failsSameWay(wanted, world, yield* playOnce(world)) !== undefined
    const failsSo = Effect.fnUntraced(function* (candidate: Story) {
      const text = identityOf(candidate)
      isUsedUp ||= !mayPlay() && !tried.has(text)
      if (tried.has(text) || !mayPlay()) return false
      tried.add(text)
      const same = failsSameWay(wanted, candidate, yield* playOnce(candidate))
      if (same === undefined) return false
      if (isOfWorld || atOf(same) > 0) return true
      // What is broken before anything has happened is broken by the world that the story begins in.
      const before = withoutDeeds(candidate)
      return failsSameWay(wanted, before, yield* playOnce(before)) === undefined
    })

    const explicit = withWeatherSpelledOut(seeded, drawn)
    // Where what is there at the start fails by itself, nothing that is done to it matters.
    const first = isOfWorld ? world : explicit !== seeded && (yield* failsSo(explicit)) ? explicit : seeded
    let least = first
    for (;;) {
      const shorter = yield* leaveOut(least, failsSo)
      const simpler = yield* simplify(shorter, failsSo, { keepSizes: countsPods(failure) })
      if (simpler === least) break
      least = simpler
    }
    return {
      story: least,
      parts: countOf(least, drawn.length),
      partsBefore,
      plays,
      writes,
      isLeast: !isUsedUp
    }
  })

const atOf = (failure: StoryFailure | undefined): number =>
  failure?.type === "violation" ? failure.violation.atMillis : (failure?.atMillis ?? 0)

/** What somebody has said of Pods is about as many as there are; Kubernetes' own rules hold for any number. */
const countsPods = (failure: StoryFailure | undefined): boolean =>
  failure?.type === "step" || (failure?.type === "violation" && failure.violation.rule === "invariant")

const withoutDeeds = ({ faults: _faults, weather: _weather, ...story }: Story): Story => ({
  ...story,
  steps: []
})

/** Weather counts as what the seed has drawn of it. */
const countOf = ({ steps, faults = [], weather }: Story, drawn: number): number =>
  steps.length + faults.length + (weather === undefined ? 0 : drawn)

/** What chance has done, as if somebody had planned it. */
const withWeatherSpelledOut = (
  story: Story,
  drawn: ReadonlyArray<{ readonly atMillis: number; readonly fault: Fault }>
): Story => {
  const { weather, faults = [], ...rest } = story
  if (weather === undefined) return story
  const spelled = drawn.map(({ atMillis, fault }) => ({ ...fault, at: formatDuration(atMillis) }))
  return { ...rest, faults: [...faults, ...spelled] }
}

type FailsSo = (candidate: Story) => Effect.Effect<boolean>

/** The lists of a story of which each item may go. */
const places = ["start", "behaviours", "invariants", "steps", "faults"] as const

interface Part {
  readonly place: (typeof places)[number]
  readonly index: number
}

const partsOf = (story: Story): ReadonlyArray<Part> =>
  places.flatMap((place) => (story[place] ?? []).map((_item, index) => ({ place, index })))

const withParts = (story: Story, parts: ReadonlyArray<Part>): Story => {
  const kept = places.map((place) => {
    const indices = new Set(parts.flatMap((part) => (part.place === place ? [part.index] : [])))
    const items: ReadonlyArray<unknown> = story[place] ?? []
    return [place, items.filter((_item, index) => indices.has(index))] as const
  })
  const { start: _start, behaviours: _behaviours, invariants: _invariants, faults: _faults, ...rest } = story
  // A list that is empty is one that nobody would write; without steps there is no story.
  return {
    ...rest,
    ...Object.fromEntries(kept.filter(([place, { length }]) => length > 0 || place === "steps"))
  }
}

/** From the end on: what comes after the failure goes first. */
const leaveOut = Effect.fnUntraced(function* (story: Story, failsSo: FailsSo) {
  let parts = partsOf(story)
  let least = story
  let size = Math.ceil(parts.length / 2)
  while (size >= 1) {
    let hasGone = false
    for (let end = parts.length; end > 0; end -= size) {
      const rest = [...parts.slice(0, Math.max(0, end - size)), ...parts.slice(end)]
      const candidate = withParts(story, rest)
      if (!(yield* failsSo(candidate))) continue
      parts = rest
      least = candidate
      hasGone = true
    }
    if (size === 1 && !hasGone) break
    size = size === 1 ? 1 : Math.ceil(size / 2)
  }
  return least
})

/** Goes on where something has become simpler; what stands before it is looked at in the next round. */
const simplify = Effect.fnUntraced(function* (
  story: Story,
  failsSo: FailsSo,
  sizes: { readonly keepSizes: boolean }
) {
  let least = story
  let done = 0
  for (let isSimpler = true; isSimpler;) {
    isSimpler = false
    for (const candidate of [...simplerStories(least, sizes)].slice(done)) {
      isSimpler = yield* failsSo(candidate)
      if (isSimpler) {
        least = candidate
        break
      }
      done += 1
    }
  }
  return least
})
