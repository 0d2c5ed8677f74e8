import { podManifest } from "../../builders.ts"
import { instant, openCluster, resources } from "../../../src/index.ts"
import type { Behaviour, EventObject, OpenCluster, Pod } from "../../../src/index.ts"

/** One Pod on a node of its own, in virtual time. */
export interface PodUnderTest {
  readonly cluster: OpenCluster
  readonly pod: () => Promise<Pod>
  readonly findPod: () => Promise<Pod | undefined>
  /** States of its containers, init containers first: `app running ready`, `setup terminated Error 3`. */
  readonly states: () => Promise<ReadonlyArray<string>>
  /** All states of a container, each with the second at which it began. */
  readonly stateHistory: (container: string) => ReadonlyArray<string>
  readonly events: () => Promise<ReadonlyArray<EventObject>>
}

/** What differs from a Pod that needs no time for anything. */
type PodLife = Partial<Behaviour>

export const withPod = async <A>(
  spec: object,
  life: PodLife,
  check: (pod: PodUnderTest) => Promise<A>
): Promise<A> => {
  await using cluster = await openCluster({
    behaviour: { ...instant, ...life, name: "told" },
    nodes: 1
  })
  const startMillis = cluster.now().getTime()
  const lines = new Map<string, Array<string>>()
  cluster.onChange(({ resource, object }) => {
    if (resource !== resources.pods) return
    const seconds = (cluster.now().getTime() - startMillis) / 1000
    for (const { name, text } of statesOf(object as Pod)) {
      const history = lines.get(name) ?? []
      lines.set(name, history)
      if (history.at(-1)?.replace(/^\S+ /u, "") !== text) history.push(`${seconds} ${text}`)
    }
  })
  const podReference = { resource: resources.pods, name: "told" } as const
  const pod = (): Promise<Pod> => cluster.get(podReference)
  await cluster.create(podManifest("told", spec, { uid: "given-away" }))
  return await check({
    cluster,
    pod,
    findPod: () => pod().catch(() => undefined),
    states: async () => statesOf(await pod()).map(({ name, text }) => `${name} ${text}`),
    stateHistory: (container) => lines.get(container) ?? [],
    events: async () => {
      const { metadata } = await pod()
      return cluster.events({ uid: metadata.uid })
    }
  })
}

const statesOf = ({ status }: Pod): ReadonlyArray<{ readonly name: string; readonly text: string }> =>
  [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])].map((it) => {
    const { state = {} } = it
    const [kind = ""] = Object.keys(state)
    const words = [
      kind,
      state.waiting?.reason,
      state.terminated?.reason,
      state.terminated?.exitCode,
      it.ready ? "ready" : undefined
    ]
    return { name: it.name, text: words.filter((word) => word !== undefined).join(" ") }
  })

/** Status, reason and message of a condition. */
export const conditionText = (pod: Pod, type: string): string => {
  const found = pod.status.conditions?.find((condition) => condition.type === type)
  return [found?.status, found?.reason, found?.message].filter((it) => it !== undefined).join(" ")
}
