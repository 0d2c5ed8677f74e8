import { isApproved } from "../../src/kubernetes/steering/podApproval.ts"
import { isPodActive } from "../../src/kubernetes/pods/podState.ts"
import { openCluster } from "../../src/cluster/openCluster.ts"
import type { Behaviour } from "../../src/behaviours/behaviour.ts"
import type { Deployment } from "../../src/kubernetes/meta/objects.ts"
import type { OpenCluster } from "../../src/cluster/openCluster.ts"

/** Images by what becomes of them. */
export const shopBehaviours: ReadonlyArray<Behaviour> = [
  { name: "unpullable", match: { image: "web:missing" }, pull: { failures: "forever" } },
  { name: "crashing", match: { image: "web:crash" }, exit: { after: "2s", code: 1 }, ready: "24h" },
  { name: "slow", match: { image: "web:slow" }, pull: { delay: "5m" }, ready: "8m" },
  { name: "smoke-hangs", match: { image: "smoke:hangs" }, exit: { after: "24h", code: 0 } },
  { name: "never-ready", match: { image: "web:hangs" }, ready: "24h" }
]

export const webDeployment = (
  strategy: string | undefined,
  {
    image = "web:1",
    replicas = 4,
    isGated = false,
    spec = {}
  }: {
    readonly image?: string
    readonly replicas?: number
    readonly isGated?: boolean
    readonly spec?: object
  } = {}
) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: {
    name: "web",
    ...(strategy === undefined ? {} : { annotations: { "charthouse.dev/strategy": strategy } })
  },
  spec: {
    replicas,
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: {
        ...(isGated ? { readinessGates: [{ conditionType: "charthouse.dev/approved" }] } : {}),
        containers: [{ name: "web", image }]
      }
    },
    ...spec
  }
})

/** A suspended Job of which the hooks of steered Deployments run copies. */
export const hookJob = (image: string, name = "smoke") => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name },
  spec: {
    suspend: true,
    template: { spec: { restartPolicy: "Never", containers: [{ name: "smoke", image }] } }
  }
})

export const address = { resource: "deployments.apps", name: "web" } as const

export const openSteeredShop = async (
  strategy: string,
  options: Parameters<typeof webDeployment>[1] = {}
): Promise<OpenCluster> => {
  const cluster = await openCluster({ seed: 7, behaviours: shopBehaviours })
  await cluster.create(webDeployment(strategy, options))
  await cluster.advance("1m")
  return cluster
}

export const setImage = (cluster: OpenCluster, image: string) =>
  cluster.patch(address, { spec: { template: { spec: { containers: [{ name: "web", image }] } } } })

export const imageOf = ({ spec }: Deployment): string | undefined => spec.template.spec?.containers[0]?.image

/** `STATUS REASON: MESSAGE` of the condition `charthouse.dev/Steered`, without hashes. */
export const steeredText = async (cluster: OpenCluster): Promise<string> => {
  const { status } = await cluster.get(address)
  const condition = status.conditions?.find(({ type }) => type === "charthouse.dev/Steered")
  return condition === undefined
    ? "none"
    : withoutHashes(`${condition.status} ${condition.reason ?? ""}: ${condition.message ?? ""}`)
}

export const withoutHashes = (text: string): string => text.replaceAll(/\(web-[a-z0-9]+\)/gu, "(web)")

export const steeringEvents = async (cluster: OpenCluster): Promise<ReadonlyArray<string>> => {
  const { items } = await cluster.list("events")
  return items
    .filter(({ source }) => source?.component === "charthouse-steer")
    .map(({ type, reason = "", message = "" }) => withoutHashes(`${type} ${reason}: ${message}`))
}

/** Sets annotations `charthouse.dev/NAME`; null removes one. */
export const annotate = (cluster: OpenCluster, values: Readonly<Record<string, string | null>>) =>
  cluster.patch(address, {
    metadata: {
      annotations: Object.fromEntries(
        Object.entries(values).map(([name, value]) => [`charthouse.dev/${name}`, value])
      )
    }
  })

/** How many Pods of each image are approved and not terminating. */
export const approvedPods = async (cluster: OpenCluster): Promise<Readonly<Record<string, number>>> => {
  const { items } = await cluster.list("pods")
  const images = items
    .filter((pod) => isPodActive(pod) && isApproved(pod))
    .map(({ spec }) => spec.containers[0]?.image ?? "")
    .sort()
  return Object.fromEntries(images.map((image) => [image, images.filter((it) => it === image).length]))
}
