import { spawn } from "node:child_process"
import { resolve } from "node:path"
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus"
import { uniformInt } from "pure-rand/distribution/uniformInt"
import { openRemoteCluster } from "../../src/client/remoteCluster.ts"
import { gateObserver } from "./gateObserver.ts"
import type { ChildProcess } from "node:child_process"
import type { Deployment } from "../../src/kubernetes/meta/objects.ts"

interface KillLoopOptions {
  readonly kubeconfig: string
  readonly rollouts: number
  readonly seed: number
}

const deploymentsMax = 20
const replicas = 4
/** Milliseconds between two kills. */
const killMillis = [300, 4000] as const
const processCount = 2

/**
 * Canaries of several Deployments, one rollout after the other, while two steering processes are killed and started
 * again at random times. Every fifth rollout has an image that cannot be pulled and must be taken back. Returns whether
 * nothing was lost.
 */
export const killLoop = async ({ kubeconfig, rollouts, seed }: KillLoopOptions): Promise<boolean> => {
  const random = xoroshiro128plus(seed)
  const between = (low: number, high: number): number => uniformInt(random, low, high)
  const cluster = await openRemoteCluster({ kubeconfig })
  const namespace = `kills-${process.pid}`
  await cluster.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } })
  const stopController = new AbortController()
  const { signal } = stopController
  const observer = gateObserver({ cluster, namespace, replicas, signal })
  const names = Array.from({ length: Math.min(deploymentsMax, rollouts) }, (_, index) => `web-${index}`)
  for (const name of names) await cluster.create(canaryOf(name, namespace))

  const processes = new Set<ChildProcess>()
  const start = (): void => {
    const child = spawn(process.execPath, commandOf(kubeconfig, namespace), {
      stdio: ["ignore", "ignore", "inherit"]
    })
    processes.add(child)
    child.on("exit", () => {
      processes.delete(child)
      if (!signal.aborted) start()
    })
  }
  for (let index = 0; index < processCount; index += 1) start()
  let kills = 0
  let killTimer: NodeJS.Timeout | undefined
  const killLater = (): void => {
    killTimer = setTimeout(
      () => {
        const all = [...processes]
        all[between(0, all.length - 1)]?.kill("SIGKILL")
        kills += 1
        killLater()
      },
      between(...killMillis)
    )
  }

  const began = performance.now()
  let begun = 0
  let completed = 0
  let takenBack = 0
  const expected = new Map<string, "completes" | "isTakenBack">()
  const report = (): void => {
    const seconds = ((performance.now() - began) / 1000).toFixed(0)
    const { readyMin, problems } = observer.result()
    process.stdout.write(
      `${seconds} s: ${completed + takenBack} of ${rollouts} rollouts (${completed} complete, ${takenBack} taken back), ` +
        `${kills} kills, at least ${readyMin} of ${replicas} Pods ready, ${problems.length} problems\n`
    )
  }
  const next = async (deployment: Deployment): Promise<void> => {
    const { name } = deployment.metadata
    begun += 1
    const isBad = begun % 5 === 0
    expected.set(name, isBad ? "isTakenBack" : "completes")
    const image = isBad ? `web:bad-${begun}` : `web:${begun}`
    const spec = { template: { spec: { containers: [{ name: "web", image }] } } }
    await cluster.patch({ resource: "deployments.apps", name, namespace }, { spec })
  }
  killLater()
  for await (const { object } of cluster.watch("deployments.apps", { namespace, signal, retries: 100 })) {
    const deployment = object as Deployment
    const outcome = outcomeOf(deployment)
    const wanted = expected.get(deployment.metadata.name)
    if (outcome === undefined || (wanted !== undefined && outcome !== wanted)) continue
    if (wanted !== undefined) {
      if (outcome === "completes") completed += 1
      else takenBack += 1
      expected.delete(deployment.metadata.name)
      if ((completed + takenBack) % 50 === 0) report()
      if (completed + takenBack >= rollouts) break
    }
    if (wanted === undefined && expected.has(deployment.metadata.name)) continue
    if (begun < rollouts) {
      observer.begin(deployment.metadata.name)
      await next(deployment)
    }
  }
  stopController.abort()
  clearTimeout(killTimer)
  for (const child of processes) child.kill("SIGTERM")
  report()
  const { problems } = observer.result()
  for (const problem of problems.slice(0, 20)) process.stdout.write(`${problem}\n`)
  await cluster.delete({ resource: "namespaces", name: namespace })
  cluster.close()
  return problems.length === 0 && completed + takenBack >= rollouts
}

/** How the present rollout has ended, by what is on the Deployment; undefined while it goes on. */
const outcomeOf = ({ metadata, spec, status }: Deployment): "completes" | "isTakenBack" | undefined => {
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0)) return undefined
  const condition = status.conditions?.find(({ type }) => type === "charthouse.dev/Steered")
  const isWhole =
    status.updatedReplicas === spec.replicas &&
    status.replicas === spec.replicas &&
    status.availableReplicas === spec.replicas
  if (!isWhole) return undefined
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
  "--lease-duration=2s",
  "--renew-deadline=1500ms",
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
