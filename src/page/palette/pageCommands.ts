import { copyMomentLink } from "../copyMomentLink.ts"
import { displayName } from "../../kubernetes/meta/text/displayName.ts"
import { fleetHealth } from "../fleet/fleetHealth.ts"
import { advanceAmounts, moveTime } from "../source/clusterTime.ts"
import { connectionForActions, objectCommands, makeRequestAction } from "./objectCommands.ts"
import { togglePinnedMoment } from "../moment/comparison.ts"
import type { AddressKind, PageAddress } from "../pageAddress.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { UserControls } from "../keyboard.ts"
import type { PageState } from "../pageState.ts"
import type { PaletteCommand } from "./matchCommands.ts"

export const pageCommands = (state: PageState, controls: UserControls): ReadonlyArray<PaletteCommand> => [
  ...objectCommands(state),
  ...momentCommands(state, controls),
  ...clockCommands(state),
  ...destinations(state)
]

const momentCommands = (
  state: PageState,
  { player, story, helpOpen }: UserControls
): ReadonlyArray<PaletteCommand> => {
  const isCompared = state.comparison.get() !== undefined
  const isPast = state.moment.get() !== undefined
  const isLive = state.source.get()?.type === "live"
  return [
    { label: story.isTelling.get() ? "Hold the story" : "Tell the story", keys: "S", run: story.toggle },
    { label: player.isPlaying.get() ? "Hold the playback" : "Play back", keys: "Space", run: player.toggle },
    {
      label: isCompared ? "End the comparison" : "Pin this moment, to compare it with another",
      keys: "M",
      run: () => togglePinnedMoment(state)
    },
    { label: "Copy a link to this moment", keys: "Y", run: () => void copyMomentLink(state) },
    ...(isPast ? [{ label: isLive ? "Go to now" : "Go to the end", keys: "End", run: player.toEnd }] : []),
    { label: "Go to the beginning", keys: "Home", run: player.toBegin },
    { label: "Show the keys", keys: "?", run: () => helpOpen.set(true) }
  ]
}

const clockCommands = (state: PageState): ReadonlyArray<PaletteCommand> => {
  const { clusterTime } = state
  const connection = connectionForActions(state)
  const time = clusterTime.get()
  if (connection === undefined || time === undefined) return []
  const move = (command: string, text: string) =>
    makeRequestAction(state, () => moveTime(connection, clusterTime, command).then(() => text))
  return time.speed === 0
    ? [
        { label: "Let time go on", run: move("resume", "time goes on") },
        ...advanceAmounts.map((by) => ({
          label: `Advance time by ${by}`,
          run: move(`advance?by=${by}`, `${by} further`)
        }))
      ]
    : [{ label: "Stop time", run: move("pause", "time stands still") }]
}

/** Existing objects, then objects of other moments. */
const destinations = (state: PageState): ReadonlyArray<PaletteCommand> => {
  const fleet = state.fleet.get()
  const workloads = [...fleetHealth(fleet).values()].map(({ workload }) => workload)
  const present = [...workloads, ...fleet.nodes.values(), ...fleet.pods.values()].map((object) =>
    destination(object, state.select)
  )
  const labels = new Set(present.map(({ label }) => label))
  const shownKinds = new Set<string>(shownKindList)
  const pastObjects = state.history
    .get()
    .allObjects()
    .filter(({ object }) => shownKinds.has(object.kind))
    .map(({ object, moment }) =>
      destination(object, (address) => {
        state.showMoment(moment)
        state.select(address)
      })
    )
    .filter(({ label }) => !labels.has(label))
  // Of several objects with one name the last is listed.
  const lastByLabel = new Map(pastObjects.map((it) => [it.label, it]))
  return [
    ...present,
    ...[...lastByLabel.values()].map((it) => ({ ...it, label: `${it.label}, at another moment` }))
  ]
}

const shownKindList: ReadonlyArray<AddressKind> = [
  "Deployment",
  "StatefulSet",
  "DaemonSet",
  "Job",
  "CronJob",
  "HorizontalPodAutoscaler",
  "Node",
  "Pod"
]

const destination = ({ kind, metadata }: KubeObject, go: (address: PageAddress) => void): PaletteCommand => {
  const { namespace = "", name } = metadata
  const address = { kind: kind as AddressKind, namespace, name }
  return { label: `${kind} ${displayName(address)}`, run: () => go(address) }
}
