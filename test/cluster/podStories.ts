import { instant, openCluster, resources } from "../../src/index.ts"
import type { Behaviour, EventObject, OpenCluster, Pod } from "../../src/index.ts"

/** One Pod on a node of its own, told in virtual time. */
export interface PodStory {
  readonly cluster: OpenCluster
  readonly pod: () => Promise<Pod>
  /** Undefined when it is gone. */
  readonly found: () => Promise<Pod | undefined>
  /** The states of its containers, those for init first: `app running ready`, `setup terminated Error 3`. */
  readonly states: () => Promise<ReadonlyArray<string>>
  /** Every state that the named container went through, with the second in which it began. */
  readonly went: (container: string) => ReadonlyArray<string>
  readonly events: () => Promise<ReadonlyArray<EventObject>>
}

/** What is different from a Pod that takes no time for anything. */
type Living = Partial<Behaviour>

export const tellPod = async <A>(
  spec: object,
  living: Living,
  story: (story: PodStory) => Promise<A>
): Promise<A> => {
  await using cluster = await openCluster({
    behaviour: { ...instant, ...living, name: "told" },
    nodes: 1
  })
  const begun = cluster.now().getTime()
  const lines = new Map<string, Array<string>>()
  cluster.onChange(({ resource, object }) => {
    if (resource !== resources.pods) return
    const seconds = (cluster.now().getTime() - begun) / 1000
    for (const { name, text } of statesOf(object as Pod)) {
      const told = lines.get(name) ?? []
      lines.set(name, told)
      if (told.at(-1)?.replace(/^\S+ /u, "") !== text) told.push(`${seconds} ${text}`)
    }
  })
  const named = { resource: resources.pods, name: "told" } as const
  const pod = (): Promise<Pod> => cluster.get(named)
  await cluster.create({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "told", namespace: "default", uid: "given-away" },
    spec: { containers: [{ name: "app", image: "registry.example/app:v1" }], ...spec }
  } as never)
  return await story({
    cluster,
    pod,
    found: () => pod().catch(() => undefined),
    states: async () => statesOf(await pod()).map(({ name, text }) => `${name} ${text}`),
    went: (container) => lines.get(container) ?? [],
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

/** `reason message` of a condition, or its status alone when that is all it says. */
export const conditionText = (pod: Pod, type: string): string => {
  const found = pod.status.conditions?.find((condition) => condition.type === type)
  return [found?.status, found?.reason, found?.message].filter((it) => it !== undefined).join(" ")
}
