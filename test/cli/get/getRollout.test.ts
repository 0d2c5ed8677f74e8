import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { spawn } from "node:child_process"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openCluster } from "../../../src/cluster/openCluster.ts"
import { charthouse, deploymentYaml } from "../harness/charthouse.ts"
import { command } from "../harness/testedCommand.ts"
import { temporaryFolder } from "../harness/kubeconfigs.ts"
import { refuse } from "../../../src/index.ts"
import { resources } from "../../../src/kubernetes/meta/kinds.ts"
import type { GroupResource } from "../../../src/kubernetes/meta/kinds.ts"
import type { OpenCluster } from "../../../src/cluster/openCluster.ts"
import type { ServedCluster } from "../../../src/cluster/calls/clusterCalls.ts"

const config = join(temporaryFolder(), "config")
const kubeconfigFlag = ["--kubeconfig", config]

let cluster: OpenCluster
let served: ServedCluster

const db = {
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: { name: "db" },
  spec: {
    replicas: 2,
    serviceName: "db",
    selector: { matchLabels: { app: "db" } },
    template: {
      metadata: { labels: { app: "db" } },
      spec: { containers: [{ name: "db", image: "db:broken" }] }
    }
  }
}

/** The second revision of web cannot be pulled, nor can db. The rollout of `calm` is complete. */
beforeAll(async () => {
  cluster = await openCluster({
    behaviours: [{ name: "gone", match: { image: "*:broken" }, pull: { failures: "forever" } }]
  })
  await cluster.apply(deploymentYaml({ replicas: 3 }))
  await cluster.apply(deploymentYaml({ name: "calm", selects: "calm" }).replaceAll("app: web", "app: calm"))
  await cluster.rollout("web")
  await cluster.rollout("calm")
  await cluster.apply(deploymentYaml({ replicas: 3, image: "web:broken" }))
  await cluster.create(db)
  await cluster.advance("45s")
  served = await cluster.serve()
  writeFileSync(config, served.kubeconfig)
})
afterAll(() => cluster.close())

/** Starts the command; `until` resolves once its output matches. */
const following = (...args: ReadonlyArray<string>) => {
  const child = spawn(process.execPath, [command, "get", "rollout", ...args], {
    env: { ...process.env, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"]
  })
  let text = ""
  const checks = new Set<() => void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      text += String(chunk)
      for (const check of checks) check()
    })
  }
  const ended = new Promise((resolve) => child.once("close", (code, signal) => resolve(code ?? signal)))
  return {
    printed: () => text,
    until: (pattern: RegExp) =>
      new Promise<string>((done) => {
        const check = (): void => {
          if (!pattern.test(text)) return
          checks.delete(check)
          done(text)
        }
        checks.add(check)
        check()
      }),
    end: (signal: NodeJS.Signals) => {
      child.kill(signal)
      return ended
    }
  }
}

describe("charthouse get rollout", () => {
  it("draws a Deployment with its revisions, ReplicaSets and Pods, aged by the cluster's clock", async () => {
    const { stdout, code } = await charthouse(["get", "rollout", "web", ...kubeconfigFlag])
    expect(code).toBe(0)
    const lines = stdout
      .split("\n")
      .map((line) => line.trimEnd().replaceAll(/-[a-z0-9]{9,10}|-[a-z0-9]{5}(?= )/gu, ""))
    expect(lines.slice(0, 4)).toEqual([
      "! blocked: 3 of 3 available; 1 Pod cannot pull web:broken.",
      'Deployment "web" is not finished: 1 of 3 Pods is of revision 2, 3 are available.',
      "1 new Pod cannot pull web:broken: manifest unknown (ImagePullBackOff).",
      "RollingUpdate (surge 25%, unavailable 25%): desired 3, updated 1, available 3, old 3, terminating 0; " +
        "at least 3 available, at most 4 asked for"
    ])
    const singleSpaced = lines.map((line) => line.replaceAll(/ +/g, " "))
    expect(singleSpaced.filter((line) => line.includes("revision:"))).toEqual([
      "├──# revision:2 web:broken",
      "└──# revision:1 web:1"
    ])
    expect(stdout).toMatch(/□ web-\w+-\w+ +✖ ImagePullBackOff +45s +node-\d, .*ErrImagePull/)
    expect(stdout.match(/✔ Running/g)).toHaveLength(3)
  })

  it("prints the same as JSON with -o json", async () => {
    const { stdout } = await charthouse(["get", "rollout", "deployment/web", "-o", "json", ...kubeconfigFlag])
    const printed: unknown = JSON.parse(stdout)
    expect(printed).toMatchObject({
      deployment: { name: "web", namespace: "default", paused: false },
      verdict: { lead: "blocked", health: "ok", figures: "3 of 3 available" },
      state: "waiting",
      message: 'Waiting for deployment "web" rollout to finish: 1 out of 3 new replicas have been updated...',
      numbers: { desired: 3, updated: 1, old: 3, availableFloor: 3, podsCeiling: 4 },
      revisions: [
        { revision: "2", pods: [{ state: "ImagePullBackOff", ready: false, restarts: 0, ageSeconds: 45 }] },
        { revision: "1", pods: [{ state: "Running" }, { state: "Running" }, { state: "Running" }] }
      ]
    })
  })

  it("draws a StatefulSet with its Pods below the sentences of explain", async () => {
    const { stdout, code } = await charthouse(["get", "rollout", "sts/db", ...kubeconfigFlag])
    expect(code).toBe(0)
    const [verdict, ...lines] = stdout.split("\n").map((line) => line.trimEnd().replaceAll(/ +/g, " "))
    expect(verdict).toContain("down")
    expect(lines).toEqual([
      'StatefulSet "db" has 1 of 2 Pods, 0 are ready, 0 are available.',
      expect.stringMatching(/^1 Pod cannot pull db:broken/),
      "db-1 is created once db-0 is available: podManagementPolicy is OrderedReady.",
      "",
      "NAME STATUS AGE INFO",
      "⟳ StatefulSet/db ◌ Progressing 45s 0/2 ready, 1 updated",
      expect.stringMatching(/^└──□ db-0 ✖ ImagePullBackOff 45s node-\d, /),
      ""
    ])
    const { stdout: json } = await charthouse(["get", "rollout", "sts/db", "-o", "json", ...kubeconfigFlag])
    expect(JSON.parse(json)).toMatchObject({
      statefulSet: { name: "db", namespace: "default" },
      state: "waiting",
      numbers: { desired: 2, pods: 1 },
      pods: [{ name: "db-0", state: "ImagePullBackOff", ready: false }]
    })
  })

  it.each([
    { args: ["sts/db", "-w"], expectedText: 'error: --watch follows a Deployment, and "sts/db" is none\n' },
    {
      args: ["pod/db-0"],
      expectedText:
        'error: a rollout is of a Deployment, a StatefulSet, a DaemonSet or a Job, and "pod/db-0" is none\n'
    },
    { args: ["nope"], expectedText: 'Error from server (NotFound): deployments.apps "nope" not found\n' },
    {
      args: ["web", "-n", "elsewhere"],
      expectedText: 'Error from server (NotFound): deployments.apps "web" not found\n'
    },
    {
      args: ["nope", "-w"],
      expectedText: 'Error from server (NotFound): deployments.apps "nope" not found\n'
    },
    { args: ["web", "--context", "foo"], expectedText: 'there is no context "foo"' }
  ])("refuses $args with 2", async ({ args, expectedText }) => {
    const { stdout, stderr, code } = await charthouse(["get", "rollout", ...args, ...kubeconfigFlag])
    expect(stderr).toContain(expectedText)
    expect(stdout).toBe("")
    expect(code).toBe(2)
  })

  it("-w redraws the tree on changes, outlives a lost server, and exits with 0 on Ctrl-C", async () => {
    const other = await openCluster()
    await other.apply(deploymentYaml({ replicas: 2 }))
    await other.rollout("web")
    const file = join(temporaryFolder(), "config")
    const first = await other.serve()
    writeFileSync(file, first.kubeconfig)
    const { until, printed, end } = following("web", "-w", "--kubeconfig", file)
    await until(/2 of 2 Pods are of revision 1, 2 are available/)
    await other.patch({ resource: "deployments.apps", name: "web" }, { spec: { replicas: 4 } })
    await other.rollout("web")
    await until(/4 of 4 Pods are of revision 1, 4 are available/)

    await first.stop()
    await until(/# .*; waiting for it/)
    await other.patch({ resource: "deployments.apps", name: "web" }, { spec: { replicas: 1 } })
    await other.settle()
    writeFileSync(file, (await other.serve()).kubeconfig)
    await until(/# found again[^]*1 of 1 Pods is of revision 1/)

    await other.delete({ resource: "deployments.apps", name: "web" })
    await until(/"web" has been deleted; waiting for it/)
    expect(await end("SIGINT")).toBe(0)
    expect(printed()).not.toContain("Error:")
    await other.close()
  })

  it("counts the Pods of a large Deployment by state, the worst state first", async () => {
    await using many = await openCluster({
      nodes: 5,
      behaviours: [{ name: "gone", match: { image: "*:broken" }, pull: { failures: "forever" } }]
    })
    await many.apply(deploymentYaml({ replicas: 140 }))
    await many.rollout("web")
    await many.apply(deploymentYaml({ replicas: 140, image: "web:broken" }))
    await many.advance("45s")
    const file = join(temporaryFolder(), "config")
    writeFileSync(file, (await many.serve()).kubeconfig)
    const { stdout } = await charthouse(["get", "rollout", "web", "--kubeconfig", file])
    const rows = stdout.split("\n").filter((line) => line.includes("□"))
    expect(rows.map((line) => line.replaceAll(/ +/g, " "))).toEqual([
      expect.stringMatching(/^│ └──□ 70 Pods ✖ ImagePullBackOff 45s Back-off pulling image "web:broken"/),
      expect.stringMatching(/^ └──□ 105 Pods ✔ Running \d+s$/)
    ])
  })

  it("-w -o json prints one line for each change", async () => {
    const { until, printed, end } = following("calm", "-w", "-o", "json", ...kubeconfigFlag)
    await until(/"state":"complete"/)
    await cluster.patch({ resource: "deployments.apps", name: "calm" }, { spec: { replicas: 0 } })
    await cluster.advance("1m")
    await until(/"desired":0,"updated":0/)
    expect(await end("SIGTERM")).toBe(0)
    const lines = printed().trimEnd().split("\n")
    for (const line of lines) expect(JSON.parse(line)).toHaveProperty("numbers.desired")
    expect(lines.length).toBeGreaterThan(1)
    await cluster.patch({ resource: "deployments.apps", name: "calm" }, { spec: { replicas: 3 } })
    await cluster.rollout("calm")
  })
})

describe("get rollout and explain without permission to list", () => {
  it.each<{
    readonly resource: GroupResource
    readonly shown: ReadonlyArray<string>
    readonly explained: ReadonlyArray<string>
    readonly why: string
  }>([
    {
      resource: "pods",
      shown: ["It waits for 2 of 3 new Pods to be created.", "⧉ ReplicaSet/web", "0/1 ready", "3/3 ready"],
      explained: ["Its Pods cannot be seen, and may say more: pods is forbidden", "so 3 must stay available"],
      why: "the ReplicaSet's status gives the number of ready Pods"
    },
    {
      resource: "replicasets.apps",
      shown: ["1 of 3 Pods is of its template", "⟳ Deployment/web"],
      explained: [
        "rollout to finish: 1 out of 3 new replicas have been updated.",
        "Its ReplicaSets, and with them its Pods, cannot be seen, and may say more: "
      ],
      why: "only the Deployment's status is shown"
    },
    {
      resource: "events",
      shown: ["web:broken"],
      explained: ["1 new Pod cannot pull web:broken", "Events cannot be seen, and may say more: "],
      why: "only the number of pulls is missing"
    }
  ])("$resource: $why", async ({ resource, shown, explained }) => {
    const user = 'forbidden: User "dev" cannot list resource'
    const stop = cluster.intercept({ verb: "list", resource }, refuse(403, `${resource} is ${user}`))
    const tree = await charthouse(["get", "rollout", "web", ...kubeconfigFlag])
    const { stdout, code } = await charthouse(["explain", "web", ...kubeconfigFlag])
    stop()
    expect({ tree: tree.code, code }).toEqual({ tree: 0, code: 1 })
    for (const it of shown) expect(tree.stdout).toContain(it)
    for (const it of [...explained, user]) expect(stdout).toContain(it)
    for (const line of stdout.trimEnd().split("\n")) expect(line).toMatch(/[^.]\.$/)
  })
})

describe("charthouse explain", () => {
  it("prints what the rollout waits for and exits with 1", async () => {
    const { stdout, code } = await charthouse(["explain", "deployment/web", ...kubeconfigFlag])
    expect(stdout).toMatch(
      /1 new Pod cannot pull web:broken: .+ \(ImagePullBackOff, \d tries, next in \d+s\)\./
    )
    expect(stdout).toContain("so 3 must stay available, and 3 are.")
    expect(stdout).toContain("`kubectl rollout undo deployment/web` goes back to revision 1.")
    expect(code).toBe(1)
  })

  it("exits with 0 once the rollout is complete, also with -o json", async () => {
    const { stdout, code } = await charthouse(["explain", "deploy/calm", "-o", "json", ...kubeconfigFlag])
    expect(JSON.parse(stdout)).toMatchObject({ deployment: { name: "calm" }, state: "complete" })
    expect(code).toBe(0)
  })

  it("accepts ReplicaSets, Pods, containers and nodes by kubectl's names", async () => {
    const unpulledPod = (await cluster.list(resources.pods)).items.find(({ spec }) =>
      spec.containers.some(({ image }) => image === "web:broken")
    )
    const { name = "", ownerReferences: [owner] = [] } = unpulledPod?.metadata ?? {}
    const runs = await Promise.all(
      [`rs/${owner?.name}`, `po/${name}`, `container/${name}/web`, "node/node-1", `container/${name}/x`].map(
        (object) => charthouse(["explain", object, ...kubeconfigFlag])
      )
    )
    expect(runs.map(({ code }) => code)).toEqual([1, 1, 1, 0, 2])
    const [set, pod, container, node, none] = runs
    expect(set?.stdout).toMatch(/has 1 of 1 Pod, 0 are ready.*\n1 Pod cannot pull web:broken/u)
    expect(pod?.stdout).toMatch(/^Pod "web-\w+-\w+" cannot pull web:broken: .*next in/u)
    expect(container?.stdout).toMatch(/^Container "web" cannot pull web:broken: /u)
    expect(node?.stdout).toMatch(/^Node "node-1" is ready and holds \d+ Pods?, of which/u)
    expect(none?.stderr).toContain('has no container "x"')
  })

  it.each([
    {
      object: "deployment/nope",
      expectedText: 'Error from server (NotFound): deployments.apps "nope" not found'
    },
    { object: "pod/web", expectedText: 'Error from server (NotFound): pods "web" not found' },
    { object: "service/web", expectedText: 'container/POD/NAME or node/NAME, and "service/web" is none' },
    { object: "deployment/", expectedText: '"deployment/" is none' }
  ])("refuses $object with 2", async ({ object, expectedText }) => {
    const { stderr, code } = await charthouse(["explain", object, ...kubeconfigFlag])
    expect(stderr).toContain(expectedText)
    expect(code).toBe(2)
  })
})
