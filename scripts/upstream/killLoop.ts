import { spawn } from "node:child_process"
import { resolve } from "node:path"
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus"
import { uniformInt } from "pure-rand/distribution/uniformInt"
import { openRemoteCluster } from "../../src/client/remoteCluster.ts"
import { isTransientError } from "../../src/client/clientErrors.ts"
import { followObjects } from "./followObjects.ts"
import { gateObserver } from "./gateObserver.ts"
import type { ChildProcess } from "node:child_process"
import type { Deployment } from "../../src/kubernetes/meta/objects.ts"

interface KillLoopOptions {
  readonly kubeconfig: string
  readonly rollouts: number
  /** How many Deployments are rolled out at a time. */
  readonly deployments: number
  /** The longest time that a process leads before it is killed. */
  readonly leadsMaxMillis: number
  readonly seed: number
}

const replicas = 4
const processCount = 3

/**
 * Canaries of several Deployments, one rollout after the other, while the leader of three steering processes is
 * killed at a random time, again and again. Every fifth rollout has an image that cannot be pulled and must be taken
 * back. Returns whether nothing was lost.
 */
export const killLoop = async ({
  kubeconfig,
  rollouts,
  deployments,
  leadsMaxMillis,
  seed
}: KillLoopOptions): Promise<boolean> => {
  const random = xoroshiro128plus(seed)
  const randomBetween = (low: number, high: number): number => uniformInt(random, low, high)
  const cluster = await openRemoteCluster({ kubeconfig })
  const namespace = `kills-${process.pid}`
  await cluster.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } })
  const stopController = new AbortController()
  const { signal } = stopController
  const observer = gateObserver({ cluster, namespace, replicas, signal })
  const names = Array.from({ length: Math.min(deployments, rollouts) }, (_, index) => `web-${index}`)
  for (const name of names) await cluster.create(canaryOf(name, namespace))

  const processes = new Set<ChildProcess>()
  let kills = 0
  let outages = 0
  const startProcess = (): void => {
    const child = spawn(process.execPath, commandOf(kubeconfig, namespace), {
      stdio: ["ignore", "pipe", "inherit"]
    })
    processes.add(child)
    child.stdout.on("data", (chunk: Buffer) => {
      // Each leader is killed at some time of its leadership.
      if (!String(chunk).includes('"message":"leading"')) return
      setTimeout(
        () => {
          if (!signal.aborted && child.kill("SIGKILL")) kills += 1
        },
        randomBetween(0, leadsMaxMillis)
      ).unref()
    })
    child.on("exit", () => {
      processes.delete(child)
      if (!signal.aborted) startProcess()
    })
  }
  for (let index = 0; index < processCount; index += 1) startProcess()

  const startMillis = performance.now()
  let begunCount = 0
  let completed = 0
  let rolledBack = 0
  /** How the present rollout of each Deployment has to end. */
  const expectedOutcomes = new Map<string, "completes" | "isTakenBack">()
  const report = (): void => {
    const seconds = ((performance.now() - startMillis) / 1000).toFixed(0)
    const { readyMin, problems } = observer.result()
    process.stdout.write(
      `${seconds} s: ${completed + rolledBack} of ${rollouts} rollouts (${completed} complete, ${rolledBack} taken back), ` +
        `${kills} kills, ${outages} outages of the API server, at least ${readyMin} of ${replicas} Pods ready, ${problems.length} problems\n`
    )
  }
  const beginRollout = async (deployment: Deployment): Promise<void> => {
    const { name } = deployment.metadata
    begunCount += 1
    const isBad = begunCount % 5 === 0
    expectedOutcomes.set(name, isBad ? "isTakenBack" : "completes")
    const image = isBad ? `web:bad-${begunCount}` : `web:${begunCount}`
    const spec = { template: { spec: { containers: [{ name: "web", image }] } } }
    await withRetries(() => cluster.patch({ resource: "deployments.apps", name, namespace }, { spec }))
  }
  const observeDeployment = async (deployment: Deployment): Promise<void> => {
    const { name } = deployment.metadata
    const outcome = outcomeOf(deployment)
    const expectedOutcome = expectedOutcomes.get(name)
    if (outcome === undefined || (expectedOutcome !== undefined && outcome !== expectedOutcome)) return
    if (expectedOutcome !== undefined) {
      if (outcome === "completes") completed += 1
      else rolledBack += 1
      expectedOutcomes.delete(name)
      if ((completed + rolledBack) % 20 === 0) report()
    }
    if (begunCount >= rollouts) return
    observer.begin(name)
    await beginRollout(deployment)
  }
  for await (const it of followObjects(cluster, "deployments.apps", {
    namespace,
    signal,
    onLost: () => (outages += 1)
  })) {
    const objects = it.type === "all" ? it.objects : [it.change.object]
    for (const object of objects) await observeDeployment(object as Deployment)
    if (completed + rolledBack >= rollouts) break
  }
  stopController.abort()
  for (const child of processes) child.kill("SIGTERM")
  report()
  const { problems } = observer.result()
  for (const problem of problems.slice(0, 20)) process.stdout.write(`${problem}\n`)
  await cluster.delete({ resource: "namespaces", name: namespace })
  cluster.close()
  return problems.length === 0 && completed + rolledBack >= rollouts
}

/** The API server may restart meanwhile. */
const withRetries = async (request: () => Promise<unknown>): Promise<void> => {
  for (let tries = 1; ; tries += 1) {
    try {
      await request()
      return
    } catch (error) {
      if (!isTransientError(error) || tries === triesMax) throw error
      await new Promise((resolve) => setTimeout(resolve, tryMillis))
    }
  }
}

const triesMax = 60
const tryMillis = 1000

/** How the present rollout has ended, by what is on the Deployment; undefined while it goes on. */
const outcomeOf = ({ metadata, spec, status }: Deployment): "completes" | "isTakenBack" | undefined => {
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0)) return undefined
  const condition = status.conditions?.find(({ type }) => type === "charthouse.dev/Steered")
  const isFullyUpdated =
    status.updatedReplicas === spec.replicas &&
    status.replicas === spec.replicas &&
    status.availableReplicas === spec.replicas
  if (!isFullyUpdated) return undefined
  const revision = metadata.annotations?.["deployment.kubernetes.io/revision"] ?? ""
  if (condition?.message?.includes(`revision ${revision} `) !== true) return undefined
  return condition.reason === "Complete"
    ? "completes"
    : condition.reason === "RolledBack"
      ? "isTakenBack"
      : undefined
}

const commandOf = (kubeconfig: string, namespace: string): ReadonlyArray<string> => [
  resolve(import.meta.dirname, "../../dist/src/packed/command/start.js"),
  "steer",
  `--kubeconfig=${kubeconfig}`,
  `--namespaces=${namespace}`,
  `--lease-namespace=${namespace}`,
  "--lease-duration=3s",
  "--renew-deadline=2s",
  "--retry-period=300ms",
  "--listen=127.0.0.1:0"
]

const canaryOf = (name: string, namespace: string) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: {
    name,
    namespace,
    annotations: {
      "charthouse.dev/strategy":
        "canary: { steps: [{ approve: 1 }, { hold: 1s }, { approve: 50% }, { hold: 1s }], cannotStart: 1s }"
    }
  },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    strategy: { rollingUpdate: { maxSurge: 2, maxUnavailable: 0 } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        readinessGates: [{ conditionType: "charthouse.dev/approved" }],
        containers: [{ name: "web", image: "web:0" }]
      }
    }
  }
})
