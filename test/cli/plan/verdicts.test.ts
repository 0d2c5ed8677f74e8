import { describe, expect, it } from "vitest"
import { charthouse, deploymentYaml } from "../harness/charthouse.ts"

const named = (name: string, image: string) =>
  deploymentYaml({ name, image }).replaceAll("app: web", `app: ${name}`)
const withField = (yaml: string, field: string) => yaml.replace(/^( +)containers:/m, `$1${field}\n$&`)
const service =
  "{ apiVersion: v1, kind: Service, metadata: { name: slow }, spec: { selector: { app: slow }, ports: [{ port: 80 }] } }"
const recreated = (image: string) =>
  named("slow", image).replace(/^( +)replicas:/m, "$1strategy: { type: Recreate }\n$&")
const version = (image: string) =>
  [
    named("web", image),
    withField(named("odd", image), "runtimeClassName: gvisor"),
    recreated(image),
    service,
    withField(
      named("asleep", image),
      'initContainers: [{ name: wait, image: "wait:1", command: [sleep, infinity] }]'
    )
  ].join("\n---\n")
const neverEnds = 'init container "wait" never ends: it runs "sleep infinity"'
const files = {
  "v1.yaml": version("app:1"),
  "v2.yaml": version("app:2"),
  "web.yaml": named("web", "app:2"),
  "odd.yaml": withField(named("odd", "app:2"), "runtimeClassName: gvisor"),
  "slow.yaml": [recreated("app:2"), service].join("\n---\n")
}
const assumed = "start=10s,ready=0s,terminate=0s"
const plan = (...args: ReadonlyArray<string>) =>
  charthouse(
    ["plan", "--from", "v1.yaml", "--seeds", "1", "--what-if", "none", "--assume", assumed, ...args],
    files
  )
const planFlags = ["-f", "v2.yaml"]
const titlesOf = (stdout: string) => stdout.match(/^Deployment\/\w+/gm)
const linesOf = (stdout: string, count: number) => stdout.split("\n").slice(0, count)

describe("the verdicts of several Deployments", () => {
  it("are a line each, the worst first", async () => {
    const { code, stdout } = await plan(...planFlags)
    expect(linesOf(stdout, 8)).toEqual([
      "✗ stuck: 1 stuck, 1 unknown, 1 risky, 1 ships",
      "",
      `✗ stuck    Deployment/asleep  never completes: ${neverEnds}`,
      "? unknown  Deployment/odd     its Pods need RuntimeClass/gvisor, which no file creates",
      "! risky    Deployment/slow    95.9% of requests are lost",
      "✓ ships    Deployment/web",
      "",
      "taken for granted: images exist and can be pulled; the network lets through what is sent; Pods start and become ready as " +
        "--assume and --behaviour say"
    ])
    expect(code).toBe(1)
  })

  it("have all details of those that are named", async () => {
    const { stdout } = await plan(...planFlags, "web", "deployment/odd")
    expect(titlesOf(stdout)).toEqual(["Deployment/odd", "Deployment/web"])
  })

  it("have all details with -v", async () => {
    const { stdout } = await plan(...planFlags, "-v")
    expect(titlesOf(stdout)).toHaveLength(4)
  })

  it("are the same in JSON", async () => {
    const { stdout } = await plan(...planFlags, "-o", "json")
    expect(JSON.parse(stdout)).toMatchObject({
      verdict: "stuck",
      verdicts: [
        { name: "asleep", verdict: "stuck", reasons: [`never completes: ${neverEnds}`] },
        {
          name: "odd",
          verdict: "unknown",
          reasons: ["its Pods need RuntimeClass/gvisor, which no file creates"]
        },
        { name: "slow", verdict: "risky" },
        { name: "web", verdict: "ships", reasons: [] }
      ]
    })
  })
})

describe("the exit code of a verdict", () => {
  const rows = [
    { why: "ships", args: ["-f", "web.yaml"], code: 0 },
    { why: "risky", args: ["-f", "slow.yaml"], code: 0 },
    { why: "risky, with --strict", args: ["-f", "slow.yaml", "--strict"], code: 1 },
    { why: "unknown", args: ["-f", "odd.yaml"], code: 1 },
    { why: "unknown, and accepted", args: ["-f", "odd.yaml", "--accept-unknown", "runtimeclass"], code: 0 }
  ]
  it.each(rows)("is $code: $why", async ({ args, code }) => {
    expect((await plan(...args)).code).toBe(code)
  })
})

describe("what is wrong with the arguments of verdicts", () => {
  it("is an unknown kind", async () => {
    const { code, stderr } = await plan(...planFlags, "--accept-unknown", "Scheduler,Weather")
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        'error: --accept-unknown "Weather": MutatingWebhookConfiguration, ValidatingWebhookConfiguration, ' +
        "MutatingAdmissionPolicy, ValidatingAdmissionPolicy, CSIDriver, NodeFile, NodeLabel, NodeResource, PodSecurity, ReadinessGate, RuntimeClass, Scheduler, StorageClass, Sysctl can be accepted\n"
    })
  })

  it("is a name that no file has", async () => {
    const { code, stderr } = await plan(...planFlags, "shop")
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'error: there is no Deployment, StatefulSet, DaemonSet or Job "shop" to roll out\n'
    })
  })
})
