import { builtInBehaviours } from "../../behaviours/builtInBehaviours.ts"
import type { Behaviour } from "../../behaviours/behaviour.ts"
import type { SnapshotNeeds, SnapshotSettings } from "./snapshot.ts"

/** A built-in behaviour is written as its name. */
export type WrittenSettings = Omit<
  SnapshotSettings,
  "strategies" | "steering" | "livesOf" | "behaviour" | "behaviours"
> & {
  readonly behaviour: Behaviour | string
  readonly behaviours: ReadonlyArray<Behaviour>
  /** Options that a file cannot hold. */
  readonly needs: SnapshotNeeds
}

export const settingsToWrite = (settings: SnapshotSettings): WrittenSettings => {
  const {
    seed,
    nodes,
    behaviours,
    featureGates,
    controllers,
    routineEvents,
    podsMax,
    shuffleSeed,
    behaviour,
    strategies,
    steering,
    livesOf,
    needs
  } = settings
  const steeringNames = steering?.map(({ state }) => state) ?? needs?.steering ?? []
  // In a fixed order, so that equal settings have equal texts.
  return {
    seed,
    nodes,
    behaviours,
    featureGates,
    ...(controllers === undefined ? {} : { controllers }),
    ...(routineEvents === undefined ? {} : { routineEvents }),
    podsMax,
    ...(shuffleSeed === undefined ? {} : { shuffleSeed }),
    behaviour: builtInBehaviours.includes(behaviour) ? behaviour.name : behaviour,
    needs: {
      strategies: strategies?.map(({ type }) => type) ?? needs?.strategies ?? [],
      ...(steeringNames.length === 0 ? {} : { steering: steeringNames }),
      livesOf: livesOf !== undefined || needs?.livesOf === true
    }
  }
}

export const behaviourFromWritten = (behaviour: WrittenSettings["behaviour"]): Behaviour =>
  builtInBehaviours.find(({ name }) => name === behaviour) ?? (behaviour as Behaviour)
