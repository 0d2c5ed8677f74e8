import { TaggedError } from "effect/Data"

/** An instant that does not end: some fiber or actor runs again and again without waiting for time to pass. */
export class EndlessInstant extends TaggedError("EndlessInstant")<{
  readonly nowMillis: number
  readonly turns: number
  /** Owner and key of the latest turns, the most frequent first. */
  readonly busiestOwners: ReadonlyArray<string>
}> {
  override get message(): string {
    const { nowMillis, turns, busiestOwners } = this
    const busiestText =
      busiestOwners.length === 0 ? "a fiber that waits for nothing" : busiestOwners.slice(0, 3).join(", ")
    return `${new Date(nowMillis).toISOString()} does not end: ${turns} turns, and still running: ${busiestText}`
  }
}

/** A rollout of 100,000 Pods at one instant takes two million turns, and so does deleting them. */
const turnsMaxDefault = 10_000_000
/** Only the last turns before the limit are counted by owner and key. */
const notedTurnsMax = 1000

interface TurnCounter {
  readonly beginInstant: () => void
  /** Returns the number of turns at the present instant. Throws `EndlessInstant` if it is above the limit. */
  readonly countTurn: (nowMillis: number) => number
  /** Notes owner and key of the present turn, for the message of `EndlessInstant`. */
  readonly noteTurn: (owner: string, key: string) => void
  /** The error that `countTurn` threw. */
  readonly endlessInstant: () => EndlessInstant | undefined
  /** The number of turns at all instants so far. */
  readonly turnsRun: () => number
}

export const makeTurnCounter = (turnsMax = turnsMaxDefault): TurnCounter => {
  let turns = 0
  let turnsOfEarlierInstants = 0
  let endlessInstant: EndlessInstant | undefined
  const countsByName = new Map<string, number>()
  const notedFrom = turnsMax - notedTurnsMax

  const makeEndlessInstant = (nowMillis: number): EndlessInstant => {
    const busiestOwners = [...countsByName].sort(([, a], [, b]) => b - a).map(([name]) => name)
    return new EndlessInstant({ nowMillis, turns: turnsMax, busiestOwners })
  }

  return {
    beginInstant: () => {
      turnsOfEarlierInstants += turns
      turns = 0
    },
    countTurn: (nowMillis) => {
      turns += 1
      if (turns > turnsMax) throw (endlessInstant ??= makeEndlessInstant(nowMillis))
      return turns
    },
    noteTurn: (owner, key) => {
      if (turns < notedFrom) return
      const name = `${owner} ${key}`
      countsByName.set(name, (countsByName.get(name) ?? 0) + 1)
    },
    endlessInstant: () => endlessInstant,
    turnsRun: () => turnsOfEarlierInstants + turns
  }
}
