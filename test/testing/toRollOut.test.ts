import { describe, expect, it } from "vitest"
import { explainerFor } from "../../src/explain/remote/explainers.ts"
import { openRealCluster } from "../../src/testing/realCluster.ts"
import { openRemoteCluster } from "../../src/client/remoteCluster.ts"
import { startCluster } from "../../src/testing/testing.ts"
import { deploymentManifest, quotaManifest } from "../builders.ts"
// Adds the matchers.
import "../../src/testing/vitest.ts"
import type { Manifest } from "../../src/kubernetes/meta/objects.ts"
import type { Behaviour } from "../../src/behaviours/behaviour.ts"

const behaviours: ReadonlyArray<Behaviour> = [
  {
    name: "unpulled",
    match: { image: "*:unpulled" },
    pull: { failures: "forever", error: "manifest unknown" }
  },
  { name: "crashing", match: { image: "*:crashing" }, exit: { code: 3, after: "4s" } },
  { name: "lingering", match: { image: "*:1" }, terminate: "15s" },
  { name: "unready", match: { image: "*:unready" }, ready: "24h" }
]

const probe = { readinessProbe: { tcpSocket: { port: 80 } } }
const update = (image: string, more: object = {}, podSpec: object = {}) =>
  deploymentManifest({
    replicas: 3,
    container: { name: "web", image, ...probe },
    podSpec: { terminationGracePeriodSeconds: 20, ...podSpec },
    spec: { progressDeadlineSeconds: 60, ...more }
  })

const messageOf = async (failing: Promise<unknown>): Promise<string> =>
  failing.then(
    () => "no failure",
    (error: unknown) => (error as Error).message
  )

const missed = 'the rollout of "web" is failed: deployment "web" exceeded its progress deadline\n\n'
const waiting = 'the rollout of "web" is unfinished: Waiting for deployment "web" rollout to finish'

describe("a failed toRollOut", () => {
  it.each<{
    readonly why: string
    readonly manifests: ReadonlyArray<Manifest>
    readonly within?: string
    readonly state: string
    readonly cause: RegExp
  }>([
    {
      why: "an image that cannot be pulled",
      manifests: [update("web:unpulled")],
      state: missed,
      cause: /^1 new Pod cannot pull web:unpulled: manifest unknown \(\w+, (?:at least )?\d+ tries/mu
    },
    {
      why: "a container that ends again and again",
      manifests: [update("web:crashing")],
      state: missed,
      cause: /^1 new Pod .*container "web" .*exit code 3 \(Error\)/mu
    },
    {
      why: "a readiness probe that never passes",
      manifests: [update("web:unready")],
      state: missed,
      cause: /^1 new Pod runs and is not ready: the readiness probe of container "web" has not passed yet/mu
    },
    {
      why: "a quota that is exceeded",
      manifests: [quotaManifest({ pods: "3" }, "few"), update("web:2")],
      state: missed,
      cause: /^Pods of ReplicaSet web-\w+ cannot be created: .*exceeded quota: few/mu
    },
    {
      why: "no node for the Pods",
      manifests: [update("web:2", {}, { nodeSelector: { disk: "none" } })],
      state: missed,
      cause: /^1 new Pod finds no node: 0\/3 nodes are available/mu
    },
    {
      why: "a pause",
      manifests: [update("web:2", { paused: true })],
      within: "5m",
      state: waiting,
      cause: /^Nothing of a new template is rolled out until `kubectl rollout resume deployment\/web`\.$/mu
    },
    {
      why: "a strategy that waits for the old Pods",
      manifests: [update("web:2", { strategy: { type: "Recreate" } })],
      within: "3s",
      state: waiting,
      cause: /^3 old Pods are terminating, at the most \d+s more\.$/mu
    }
  ])("names $why, as `charthouse explain` does", async ({ manifests, within, state, cause }) => {
    await using world = await startCluster({ behaviours, seed: 11, serve: true })
    await world.cluster.apply(update("web:1"))
    await world.rolledOut("web")
    for (const manifest of manifests) await world.cluster.apply(manifest)
    const options = within === undefined ? {} : { within }
    const message = await messageOf(expect(world.cluster).toRollOut("web", options))
    const remote = await openRemoteCluster({ kubeconfig: world.kubeconfigFile() })
    const { sentences } = (await explainerFor("deployment/web")?.(remote))?.stateExplanation ?? {
      sentences: []
    }
    remote.close()
    expect(message.startsWith(state)).toBe(true)
    expect(message).toMatch(cause)
    expect(message.split("\n\n")[1]?.split("\n")).toEqual(sentences)
    expect(await messageOf(world.rolledOut("web", { within: 0 }))).toBe(message)
    expect((await world.cluster.rollout("web", { limit: 0 })).reasons).toEqual(sentences)
  })

  it("names the cause on a clock that runs by itself, and behind a kubeconfig", async () => {
    await using world = await startCluster({ behaviours, clock: { speed: 600 }, serve: true })
    await using real = await openRealCluster(world.kubeconfigFile())
    for (const cluster of [world.cluster, real]) {
      await cluster.apply(update("web:unpulled"))
      const message = await messageOf(expect(cluster).toRollOut("web"))
      expect(message.startsWith(missed)).toBe(true)
      expect(message).toMatch(/^3 new Pods cannot pull web:unpulled: manifest unknown/mu)
    }
  })
})

it("a rollout that is complete or deleted has no reasons", async () => {
  await using world = await startCluster()
  await world.cluster.apply(update("web:1"))
  expect(await world.cluster.rollout("web")).toMatchObject({ outcome: "complete", reasons: [] })
  await world.cluster.apply(update("web:2"))
  const [outcome] = await Promise.all([
    world.cluster.rollout("web"),
    world.cluster.delete({ resource: "deployments.apps", name: "web" })
  ])
  expect(outcome).toMatchObject({ outcome: "deleted", reasons: [] })
})

describe("a workload of another kind", () => {
  const podTemplate = (image: string, more: object = {}) => ({
    metadata: { labels: { app: "db" } },
    spec: { containers: [{ name: "db", image }], ...more }
  })
  const selector = { matchLabels: { app: "db" } }
  const workload = (kind: "StatefulSet" | "DaemonSet", image: string, spec: object = {}): Manifest => ({
    apiVersion: "apps/v1",
    kind,
    metadata: { name: "db" },
    spec: { selector, template: podTemplate(image), ...spec }
  })
  const statefulSet = (image: string) => workload("StatefulSet", image, { replicas: 2, serviceName: "db" })
  const job = (image: string): Manifest => ({
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "db" },
    spec: { backoffLimit: 0, template: podTemplate(image, { restartPolicy: "Never" }) }
  })

  it("is named KIND/NAME, and rolledOut returns it with its type", async () => {
    await using world = await startCluster({ behaviours })
    await world.cluster.apply(statefulSet("db:2"))
    await world.cluster.apply(workload("DaemonSet", "db:2"))
    await world.cluster.apply(job("db:2"))
    const { status } = await world.rolledOut("sts/db")
    expect(status.readyReplicas).toBe(2)
    expect((await world.rolledOut("ds/db")).status.numberAvailable).toBe(3)
    expect((await world.rolledOut("job/db")).status.succeeded).toBe(1)
  })

  it.each([
    {
      name: "statefulset/db",
      manifest: statefulSet("db:unpulled"),
      state: 'the rollout of "statefulset/db" is unfinished: Waiting for 2 pods to be ready...',
      cause: /^1 Pod cannot pull db:unpulled: manifest unknown/mu
    },
    {
      name: "daemonset/db",
      manifest: workload("DaemonSet", "db:unpulled"),
      state:
        'the rollout of "daemonset/db" is unfinished: Waiting for daemon set "db" rollout to finish: 0 of 3 updated pods are available...',
      cause: /^3 Pods cannot pull db:unpulled: manifest unknown/mu
    },
    {
      name: "job/db",
      manifest: job("db:crashing"),
      state:
        'the rollout of "job/db" is failed: job "db" has failed: Job has reached the specified backoff limit',
      cause: /^Job "db" wants 1 completion: 0 succeeded, 1 failed/mu
    }
  ])("$name that does not roll out is explained, here and behind a kubeconfig", async (row) => {
    const { name, manifest, state, cause } = row
    await using world = await startCluster({ behaviours, serve: true })
    await world.cluster.apply(manifest)
    const message = await messageOf(expect(world.cluster).toRollOut(name))
    expect(message.split("\n\n")[0]).toBe(state)
    expect(message).toMatch(cause)
    const remote = await openRemoteCluster({ kubeconfig: world.kubeconfigFile() })
    const { sentences } = (await explainerFor(name)?.(remote))?.stateExplanation ?? { sentences: [] }
    remote.close()
    expect(message.split("\n\n")[1]?.split("\n")).toEqual(sentences)
  })

  it("of a kind without rollouts is refused, and one that is missing is not found", async () => {
    await using world = await startCluster()
    await expect(world.cluster.rollout("service/db")).rejects.toThrow(
      "rollout takes the name of a Deployment, or KIND/NAME of a Deployment, StatefulSet, DaemonSet or Job, " +
        'not "service/db"'
    )
    await expect(world.cluster.rollout("sts/db")).rejects.toThrow('statefulsets.apps "db" not found')
  })
})
