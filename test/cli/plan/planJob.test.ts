import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { charthouse, deploymentYaml } from "../harness/charthouse.ts"
import { openCluster } from "../../../src/cluster/openCluster.ts"
import { groupIntoConfigMaps, toMountableTexts } from "../../../src/cli/plan/job/mountedFiles.ts"
import type { KubeObject } from "../../../src/kubernetes/meta/objects.ts"
import type { OpenCluster } from "../../../src/cluster/openCluster.ts"

const settings = `apiVersion: charthouse.dev/v1
kind: PlanSettings
spec:
  assumptions: [{ image: "web:*", ready: 5s..15s }]
  environments: [{ name: production, nodes: nodes/production.yaml }]
`
const node = `apiVersion: v1
kind: Node
metadata: { name: large }
status: { capacity: { cpu: "8", memory: 16Gi, pods: "20" } }
`
const service = `apiVersion: v1
kind: Service
metadata: { name: web }
spec: { selector: { app: web }, ports: [{ port: 80 }] }
`
/** The files of the team, from which one process plans as well. */
const files = {
  "deploy/web.yaml": `${deploymentYaml({ image: "web:2" })}---\n${service}`,
  "deploy/api.yaml": deploymentYaml({ name: "api" }).replaceAll("app: web", "app: api"),
  "v1.yaml": deploymentYaml(),
  "charthouse.yaml": settings,
  "nodes/production.yaml": node
}
const flags = ["-f", "deploy", "--from", "v1.yaml", "--seeds", "2", "--what-if", "none"]

let printed = ""
let cluster: OpenCluster

beforeAll(async () => {
  const { stdout } = await charthouse(
    ["plan", ...flags, "--as-job", "registry.example/it:1", "--shard", "2"],
    files
  )
  printed = stdout
  cluster = await openCluster()
  await cluster.apply(printed)
  await cluster.settle()
})
afterAll(() => cluster.close())

interface PlanPod {
  readonly metadata: KubeObject["metadata"]
  readonly spec: {
    readonly containers: ReadonlyArray<{ readonly args: ReadonlyArray<string> }>
    readonly volumes: ReadonlyArray<{
      readonly projected: {
        readonly sources: ReadonlyArray<{
          readonly configMap: {
            readonly name: string
            readonly items: ReadonlyArray<{ readonly key: string; readonly path: string }>
          }
        }>
      }
    }>
  }
}

/** What the Pods of the cluster mount, as a kubelet writes it into their folder. */
const mountedFiles = async ({ spec }: PlanPod): Promise<Readonly<Record<string, string>>> => {
  const mounted: Record<string, string> = {}
  for (const { configMap } of spec.volumes.flatMap(({ projected }) => projected.sources)) {
    const { name, items } = configMap
    const { data } = (await cluster.get({ resource: "configmaps", name })) as unknown as {
      readonly data: Readonly<Record<string, string>>
    }
    for (const { key, path } of items) mounted[path] = data[key] ?? ""
  }
  return mounted
}

describe("the Job of a plan", () => {
  it("has Pods that play all of it, and whose logs are merged to the same report", async () => {
    const pods = (await cluster.list("pods")).items as unknown as ReadonlyArray<PlanPod>
    expect(pods).toHaveLength(2)
    const logs = await Promise.all(
      pods.map(async (pod) => {
        const { stdout, stderr } = await charthouse(
          pod.spec.containers[0]?.args ?? [],
          await mountedFiles(pod),
          {
            JOB_COMPLETION_INDEX: pod.metadata.annotations?.["batch.kubernetes.io/job-completion-index"] ?? ""
          }
        )
        return stderr + stdout
      })
    )
    const [, command = ""] = /^# +charthouse (plan merge .*)$/m.exec(printed) ?? []
    const merged = await charthouse([...command.split(" "), "-o", "json"], {
      ...files,
      // The first Pod was ended and played again.
      "plan.runs": [logs[0]?.slice(0, -200), ...logs].join("")
    })
    const whole = await charthouse(["plan", ...flags, "-o", "json"], files)
    expect(merged.stdout).toBe(whole.stdout)
    expect(merged.code).toBe(whole.code)
  })

  it("is called by its plan, and says how its logs are merged", () => {
    const [, name = ""] = /^ +name: (charthouse-plan-[0-9a-f]{10})$/m.exec(printed) ?? []
    expect(printed.split("\n").slice(0, 5)).toEqual([
      "# Save this as job.yaml, and then:",
      "#   kubectl apply -f job.yaml",
      `#   kubectl wait --for=condition=complete --timeout=1h job/${name}`,
      `#   kubectl logs --selector batch.kubernetes.io/job-name=${name} --tail=-1 > plan.runs`,
      "#   charthouse plan merge plan.runs -f deploy --from v1.yaml --what-if none --seeds 1..2"
    ])
  })

  it("is refused when a file has an object that no ConfigMap holds", async () => {
    const { code, stderr } = await charthouse(["plan", "-f", "deploy", "--as-job", "it", "--shard", "2"], {
      "deploy/v1.yaml": `${files["v1.yaml"]}# ${"-".repeat(1024 ** 2)}\n`
    })
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: "error: an object in deploy/v1.yaml has more than 1 MiB, and no ConfigMap can hold it\n"
    })
  })

  it("is refused when its Pods cannot have a file", async () => {
    const elsewhere = settings.replace("nodes/production.yaml", "../production.yaml")
    const { code, stderr } = await charthouse(
      ["plan", "-f", "v1.yaml", "--settings", "team/charthouse.yaml", "--as-job", "it", "--shard", "2"],
      { "v1.yaml": files["v1.yaml"], "production.yaml": node, "team/charthouse.yaml": elsewhere }
    )
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        "error: ../production.yaml is not in the folder of team/charthouse.yaml, and the Pods cannot read it\n"
    })
  })
})

describe("the texts of a Job", () => {
  const document = (letter: string, size: number): string => `text: ${letter.repeat(size)}\n`
  it("are joined up to the size of a ConfigMap, and cut between documents", () => {
    const [small, large] = [document("a", 90_000), document("b", 150_000)]
    expect(toMountableTexts([`---\n${small}---\n${small}`, `# first\n---\n${large}--- \n${small}`])).toEqual([
      `${small}---\n${small}---\n# first\n`,
      large,
      small
    ])
  })

  it("stay whole if they have directives", () => {
    const text = "%YAML 1.2\n---\na: 1\n---\nb: 2\n"
    expect(toMountableTexts([text])).toEqual([text])
  })

  it("share a ConfigMap while there is room", () => {
    const file = (key: string, size: number) => ({ key, path: key, text: document(key, size) })
    const groups = groupIntoConfigMaps([
      file("a", 90_000),
      file("b", 90_000),
      file("c", 90_000),
      file("d", 10)
    ])
    expect(groups.map((files) => files.map(({ key }) => key))).toEqual([
      ["a", "b"],
      ["c", "d"]
    ])
  })
})
