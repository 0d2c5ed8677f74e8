import { copyMomentLink } from "../copyMomentLink.ts"
import { displayName } from "../../kubernetes/meta/text/displayName.ts"
import { fleetHealth } from "../fleet/fleetHealth.ts"
import { kubeletState } from "../../kubernetes/core/nodeStatus.ts"
import { killPod, setKubeletState, setPaused } from "../object/actions.ts"
import { errorText } from "../../kubernetes/meta/text/errorText.ts"
import { moveTime } from "../source/clusterTime.ts"
import { addressedObjectKey, objectKey } from "../pageAddress.ts"
import { pinMoment } from "../moment/pinMoment.ts"
import type { AddressKind } from "../pageAddress.ts"
import type { Deployment } from "../../kubernetes/meta/objects.ts"
import type { KeyControls } from "../keyboard.ts"
import type { PageState } from "../pageState.ts"
import type { PaletteCommand } from "./matchCommands.ts"
import type { ServerConnection } from "../source/connection.ts"

/** All that can be done now: on the selected object, with time, and going to any object. */
export const pageCommands = (state: PageState, controls: KeyControls): ReadonlyArray<PaletteCommand> => [
  ...objectCommands(state),
  ...momentCommands(state, controls),
  ...clockCommands(state),
  ...destinations(state)
]

/** Sends a request, and says in the status line what came of it. */
const sent =
  ({ message }: PageState, send: () => Promise<string>) =>
  (): void =>
    void send().then(
      (text) => message.set({ text, refused: false }),
      (error: unknown) => message.set({ text: errorText(error), refused: true })
    )

/** The connection while actions are allowed: they change the cluster as it is now. */
const actingConnection = ({ connection, isNow }: PageState): ServerConnection | undefined =>
  isNow() && connection?.status.get().state === "live" ? connection : undefined

const objectCommands = (state: PageState): ReadonlyArray<PaletteCommand> => {
  const { selected, fleet } = state
  const address = selected.get()
  const connection = actingConnection(state)
  if (address === undefined) return []
  const close = { label: "Back to all workloads", keys: "Escape", run: () => state.select(undefined) }
  if (connection === undefined) return [close]
  const { kind, name } = address
  const { deployments, nodes } = fleet.get()
  const key = addressedObjectKey(address)
  const deployment: Deployment | undefined =
    kind === "Deployment" ? [...deployments.values()].find((it) => objectKey(it) === key) : undefined
  const node = kind === "Node" ? [...nodes.values()].find((it) => objectKey(it) === key) : undefined
  const commands: Array<PaletteCommand> = []
  if (deployment !== undefined) {
    const isPaused = deployment.spec.paused === true
    commands.push({
      label: `${isPaused ? "Resume" : "Pause"} Deployment ${name}`,
      run: sent(state, () => setPaused(connection, deployment, !isPaused))
    })
  }
  if (kind === "Pod")
    commands.push({ label: `Kill Pod ${name}`, run: sent(state, () => killPod(connection, address)) })
  if (node !== undefined) {
    const isStopped = kubeletState(node) === "stopped"
    commands.push({
      label: isStopped ? `Bring node ${name} back` : `Lose node ${name}`,
      run: sent(state, () => setKubeletState(connection, name, isStopped ? "running" : "stopped"))
    })
  }
  return [...commands, close]
}

const momentCommands = (
  state: PageState,
  { player, story, helpOpen }: KeyControls
): ReadonlyArray<PaletteCommand> => {
  const isPinned = state.pinned.get() !== undefined
  const isPast = state.moment.get() !== undefined
  const isLiving = state.source.get()?.type === "living"
  return [
    { label: story.isTelling.get() ? "Hold the story" : "Tell the story", keys: "S", run: story.toggle },
    { label: player.isPlaying.get() ? "Hold the playback" : "Play back", keys: "Space", run: player.toggle },
    {
      label: isPinned ? "Unpin the moment" : "Pin this moment, to compare it with another",
      keys: "M",
      run: () => pinMoment(state)
    },
    { label: "Copy a link to this moment", keys: "Y", run: () => void copyMomentLink(state) },
    ...(isPast ? [{ label: isLiving ? "Go to now" : "Go to the end", keys: "End", run: player.toEnd }] : []),
    { label: "Go to the beginning", keys: "Home", run: player.toBegin },
    { label: "Show the keys", keys: "?", run: () => helpOpen.set(true) }
  ]
}

const advances = ["1s", "10s", "1m", "10m"]

const clockCommands = (state: PageState): ReadonlyArray<PaletteCommand> => {
  const { clusterTime } = state
  const connection = actingConnection(state)
  const time = clusterTime.get()
  if (connection === undefined || time === undefined) return []
  const move = (command: string, text: string) =>
    sent(state, () => moveTime(connection, clusterTime, command).then(() => text))
  return time.speed === 0
    ? [
        { label: "Let time go on", run: move("resume", "time goes on") },
        ...advances.map((by) => ({
          label: `Advance time by ${by}`,
          run: move(`advance?by=${by}`, `${by} further`)
        }))
      ]
    : [{ label: "Stop time", run: move("pause", "time stands still") }]
}

const destinations = (state: PageState): ReadonlyArray<PaletteCommand> => {
  const { nodes, pods } = state.fleet.get()
  const workloads = [...fleetHealth(state.fleet.get()).values()].map(({ workload }) => workload)
  return [...workloads, ...nodes.values(), ...pods.values()].map(({ kind, metadata }) => {
    const { namespace = "", name } = metadata
    const address = { kind: kind as AddressKind, namespace, name }
    return { label: `${kind} ${displayName(address)}`, run: () => state.select(address) }
  })
}
