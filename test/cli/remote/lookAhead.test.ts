import { createServer } from "node:http"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { deploymentManifest } from "../../builders.ts"
import { inProcess } from "../harness/inProcess.ts"
import { openCluster } from "../../../src/cluster/openCluster.ts"
import { temporaryFolder } from "../harness/kubeconfigs.ts"
import type { AddressInfo } from "node:net"
import type { IncomingMessage } from "node:http"
import type { OpenCluster } from "../../../src/cluster/openCluster.ts"

const openStuckCluster = async (): Promise<OpenCluster> => {
  const missing = { name: "missing", match: { image: "*:missing" }, pull: { failures: "forever" } } as const
  const cluster = await openCluster({ behaviours: [missing] })
  await cluster.apply(deploymentManifest({ replicas: 2 }))
  await cluster.rollout("web")
  await cluster.apply(deploymentManifest({ replicas: 2, version: "missing" }))
  await cluster.advance("30s")
  return cluster
}

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** Serves what every Kubernetes server has, and nothing below `/charthouse`. */
const serveAsForeign = async (
  cluster: OpenCluster
): Promise<{ readonly config: string } & AsyncDisposable> => {
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const { url = "", method = "GET" } = request
      const body = await bodyOf(request)
      if (url.startsWith("/charthouse")) return void response.writeHead(404).end()
      const sent = body.length === 0 ? {} : { body: new Uint8Array(body) }
      const answered = await cluster.fetch(`http://cluster${url}`, { method, ...sent })
      response.writeHead(answered.status, { "content-type": "application/json" })
      response.end(Buffer.from(await answered.arrayBuffer()))
    }
    answer().catch(() => response.destroy())
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  const { port } = server.address() as AddressInfo
  const config = join(temporaryFolder(), "config")
  const entries = {
    clusters: [{ name: "c", cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name: "u", user: {} }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }]
  }
  writeFileSync(
    config,
    JSON.stringify({ apiVersion: "v1", kind: "Config", "current-context": "x", ...entries })
  )
  return {
    config,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await once(server.close(), "close")
    }
  }
}

describe("what happens next", () => {
  it("is looked up in a copy of Charthouse's cluster, also as JSON", async () => {
    await using cluster = await openStuckCluster()
    const config = join(temporaryFolder(), "config")
    writeFileSync(config, (await cluster.serve({ tls: false })).kubeconfig)
    const { stdout } = await inProcess([
      "get",
      "rollout",
      "web",
      "--next",
      "-o",
      "json",
      "--kubeconfig",
      config
    ])
    expect(JSON.parse(stdout)).toMatchObject({
      next: {
        future: { outcome: "failed" },
        cures: [{ cure: { id: "undo-1" }, future: { outcome: "complete" } }, {}, {}]
      }
    })
    const tree = await inProcess(["get", "rollout", "web", "--next", "--kubeconfig", config])
    expect(tree.stdout).toContain("If nothing else is done: never complete: the deadline passes in 9m29s")
  })

  it("is what plan predicts for a cluster that cannot be copied", async () => {
    await using cluster = await openStuckCluster()
    await using foreign = await serveAsForeign(cluster)
    const { stdout } = await inProcess([
      "explain",
      "deployment/web",
      "--next",
      "--kubeconfig",
      foreign.config
    ])
    expect(stdout).toContain(
      "cannot be copied. As charthouse plan --kubeconfig predicts:\n✗ stuck    Deployment/web"
    )
  })

  it("is the next Job of a CronJob, and the future of what an autoscaler scales", async () => {
    await using cluster = await openStuckCluster()
    const template = { spec: { restartPolicy: "Never", containers: [{ name: "a", image: "a:1" }] } }
    await cluster.create({
      apiVersion: "batch/v1",
      kind: "CronJob",
      metadata: { name: "nightly" },
      spec: { schedule: "0 2 * * *", jobTemplate: { spec: { template } } }
    })
    await cluster.create({
      apiVersion: "autoscaling/v2",
      kind: "HorizontalPodAutoscaler",
      metadata: { name: "web" },
      spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" }, maxReplicas: 5 }
    })
    const config = join(temporaryFolder(), "config")
    writeFileSync(config, (await cluster.serve()).kubeconfig)
    const next = async (object: string) =>
      (await inProcess(["explain", object, "--next", "--kubeconfig", config])).stdout
    expect(await next("cj/nightly")).toMatch(
      /\n\nIf nothing else is done:\n {2}in 1h59m\S+ {2}Job nightly-\d+ starts\n$/
    )
    expect(await next("hpa/web")).toContain("What may help:\n  kubectl rollout undo deployment/web")
  })

  it.each([
    {
      args: ["explain", "pod/web", "--next"],
      message:
        "--next looks ahead for a Deployment, a StatefulSet, a DaemonSet, a Job, a CronJob or a " +
        'HorizontalPodAutoscaler, and "pod/web" is none'
    },
    { args: ["get", "rollout", "web", "--next", "-w"], message: "--next looks ahead once: leave out --watch" }
  ])("is refused for $args", async ({ args, message }) => {
    const { stderr } = await inProcess(args)
    expect(stderr).toContain(message)
  })
})
