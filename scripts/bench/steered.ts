import { spawn } from "node:child_process"
import {
  createDeployments as createAll,
  appImage,
  startServer,
  watchUntilRolledOut,
  withServer
} from "./loaded.ts"
import { cpuMillisOf, residentMegabytesOf } from "./up.ts"
import { multiLineMeasure } from "./measure.ts"
import { steeredManifest, webManifest } from "./fixtures.ts"
import type { Pod } from "charthouse"
import type { Checkout } from "./checkout.ts"
import type { Client, Server, Size } from "./loaded.ts"

/** One `charthouse steer` for many Deployments of a served cluster; server, controller and client are processes. */
const size: Size = { deployments: 1000, replicas: 20 }
const rolledDeployments = 100
/** Milliseconds between the beginnings of two rollouts: 100 Pods a second. */
const rolloutIntervalMillis = 200

const lines = {
  latency: "1,000 steered Deployments of 20 Pods: an approval, p99",
  cpu: "1,000 steered Deployments of 20 Pods: CPU of the controller, an approval",
  memory: "1,000 steered Deployments of 20 Pods: memory of the controller"
} as const

interface PodList {
  readonly metadata: { readonly resourceVersion: string }
}

const manifestOf = (version: string, name: string) =>
  steeredManifest(webManifest(size.replicas, version, name), {
    strategy: "canary: { steps: [{ approve: 100% }] }",
    isGated: true
  })

const startSteer = async (checkout: Checkout, { kubeconfig }: Server) => {
  const args = [checkout.command(), "steer", "--kubeconfig", kubeconfig, "--listen", "127.0.0.1:0"]
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
  const ended = new Promise((resolve) => child.once("exit", resolve))
  process.once("exit", () => child.kill())
  await new Promise<void>((resolve) => {
    child.stdout.on("data", (chunk: Buffer) => {
      if (String(chunk).includes('"message":"leading"')) resolve()
    })
  })
  return {
    cpuMillis: () => cpuMillisOf(child.pid) ?? 0,
    residentMegabytes: () => residentMegabytesOf(child.pid),
    end: () => {
      child.kill("SIGTERM")
      return ended
    }
  }
}

/** From when the client sees that a Pod is up until it sees its approval, by the Pod's name. */
const watchApprovals = async (client: Client) => {
  const upMillisByName = new Map<string, number>()
  const approvalMillis: Array<number> = []
  const isTrue = ({ status }: Pod, type: string): boolean =>
    status.conditions?.some((it) => it.type === type && it.status === "True") === true
  const path = "/api/v1/namespaces/default/pods"
  const { metadata } = JSON.parse(String(await client.send({ path: `${path}?limit=1` }))) as PodList
  // Without a version, the server would send all 20,000 Pods first, and answer no other client meanwhile.
  const query = `watch=1&resourceVersion=${metadata.resourceVersion}`
  const stop = await client.watchLines(`${path}?${query}`, (text) => {
    const { object } = JSON.parse(text) as { readonly object: Pod }
    const { name } = object.metadata
    if (isTrue(object, "charthouse.dev/approved")) {
      const since = upMillisByName.get(name)
      if (since === undefined) return
      upMillisByName.delete(name)
      approvalMillis.push(performance.now() - since)
    } else if (isTrue(object, "ContainersReady") && !upMillisByName.has(name))
      upMillisByName.set(name, performance.now())
  })
  return { approvalMillis, stop }
}

const roll = async ({ send }: Client): Promise<void> => {
  for (let index = 0; index < rolledDeployments; index += 1) {
    const { spec } = manifestOf("v2", `web-${index}`)
    await send({
      method: "PATCH",
      path: `/apis/apps/v1/namespaces/default/deployments/web-${index}`,
      contentType: "application/merge-patch+json",
      body: JSON.stringify({ spec })
    })
    await new Promise((resolve) => setTimeout(resolve, rolloutIntervalMillis))
  }
}

const steeredMeasure = multiLineMeasure([lines.latency, lines.cpu, lines.memory], (checkout) =>
  withServer(
    () => startServer(checkout, size),
    async (server, client) => {
      // The controller under test is the process alone.
      const fault = { fault: "controllerStopped", controller: "steering" }
      await client.send({ method: "POST", path: "/charthouse/v1/faults", body: JSON.stringify(fault) })
      const steer = await startSteer(checkout, server)
      try {
        await Promise.all([
          watchUntilRolledOut(client, size, appImage("v1")),
          createAll(client, size, (name) => manifestOf("v1", name))
        ])
        const cpuMillisBefore = steer.cpuMillis()
        const approvals = await watchApprovals(client)
        await Promise.all([
          watchUntilRolledOut(client, { ...size, deployments: rolledDeployments }, appImage("v2")),
          roll(client)
        ])
        approvals.stop()
        const approvalMillis = approvals.approvalMillis.toSorted((a, b) => a - b)
        const percentile = (share: number): number =>
          approvalMillis[Math.floor(approvalMillis.length * share)] ?? 0
        const note = `${approvalMillis.length} approvals, half of them within ${percentile(0.5).toFixed(0)} ms`
        const cpuMillis = steer.cpuMillis() - cpuMillisBefore
        return {
          [lines.latency]: { value: percentile(0.99), unit: "ms", bound: 1000, note },
          [lines.cpu]: { value: cpuMillis / approvalMillis.length, unit: "ms" },
          [lines.memory]: { value: steer.residentMegabytes(), unit: "MB" }
        }
      } finally {
        await steer.end()
      }
    }
  )
)

export const steeredMeasures = [steeredMeasure]
