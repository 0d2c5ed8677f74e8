import { describe, expect, it } from "vitest"
import { charthouse, deploymentYaml } from "../harness/charthouse.ts"
import { shop, shopDefinition } from "./shops.ts"
import { planned } from "./plannedRows.ts"

const web = deploymentYaml({ name: "web", image: "app:1" })
const statefulSet = deploymentYaml({ name: "db", image: "db:1" }).replace("Deployment", "StatefulSet")
const wrongClaim =
  "{ apiVersion: v1, kind: PersistentVolumeClaim, metadata: { name: data }, spec: { accessModes: [ReadWriteTwice], resources: { requests: { storage: 1Gi } } } }"

describe("plan assumes no object that the API server would refuse", () => {
  const refusal = (subject: string): RegExp => new RegExp(`^all\\.yaml:\\d+:\\d+: ${subject}.*\n$`, "u")
  it.each([
    {
      why: "for a claim, without a rollout",
      texts: [wrongClaim],
      problem: 'The PersistentVolumeClaim "data" is invalid'
    },
    {
      why: "for a claim before the rollout",
      before: [web, wrongClaim],
      texts: [web],
      problem: 'The PersistentVolumeClaim "data" is invalid'
    },
    {
      why: "for a priority class",
      texts: [deploymentYaml({ name: "web", image: "app:1", more: "      priorityClassName: High_Class" })],
      problem: 'The Deployment "web" is invalid: spec.template.spec.priorityClassName'
    },
    {
      why: "for a namespace",
      texts: [web.replace("metadata:\n", "metadata:\n  namespace: Shop\n")],
      problem: 'Error from server \\(NotFound\\): namespaces "Shop" not found'
    },
    {
      why: "for a claim template",
      texts: [
        `${statefulSet}
  volumeClaimTemplates:
    - metadata: { name: data }
      spec: { storageClassName: Fast_, accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }`
      ],
      problem: 'The StatefulSet "db" is invalid: spec.volumeClaimTemplates'
    }
  ])("$why", async ({ before, texts, problem }) => {
    const files = { "all.yaml": (before ?? texts).join("\n---\n"), "next.yaml": texts.join("\n---\n") }
    const args = before === undefined ? ["-f", "all.yaml"] : ["-f", "next.yaml", "--from", "all.yaml"]
    const { code, stderr } = await charthouse(["plan", ...args, "--seeds", "1"], files)
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(refusal(problem)) })
  })
})

it("lists refused objects in the order of the files, although one has no document that can be read", async () => {
  const { rows } = await planned({ "a.yaml": ["metadata: { name: x"], "b.yaml": [web, wrongClaim] })
  expect(rows).toEqual([
    expect.stringMatching(/^✗ refused {2}document 1 of a\.yaml /u),
    expect.stringMatching(/^✗ refused {2}PersistentVolumeClaim\/data /u),
    expect.stringMatching(/^✓ ships/u)
  ])
})

const withClaim = deploymentYaml({
  name: "web",
  image: "app:1",
  more: "      volumes: [{ name: data, persistentVolumeClaim: { claimName: data } }]"
})

const ofManual = "accessModes: [ReadWriteOnce], storageClassName: manual"
const volume = (more: string): string =>
  `{ apiVersion: v1, kind: PersistentVolume, metadata: { name: disk }, spec: { ${ofManual}, capacity: { storage: 1Gi }, hostPath: { path: /data }${more} } }`

it.each([
  { why: "of the files", before: [], next: [volume("")] },
  { why: "reserved for it", before: [volume(", claimRef: { namespace: default, name: data }")], next: [] }
])("needs no refused class for a claim that gets a volume $why", async ({ before, next }) => {
  const texts = [
    '{ apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: { name: manual }, provisioner: "" }',
    `{ apiVersion: v1, kind: PersistentVolumeClaim, metadata: { name: data }, spec: { ${ofManual}, resources: { requests: { storage: 1Gi } } } }`,
    withClaim.replace("replicas: 3", "replicas: 1"),
    ...next
  ]
  const files = {
    "all.yaml": texts.join("\n---\n"),
    "before.yaml": [web.replaceAll("web", "api"), ...before].join("\n---\n")
  }
  const args = ["--from", "before.yaml", "-f", "all.yaml", "--seeds", "1", "--what-if", "none"]
  const { stdout } = await charthouse(["plan", ...args], files)
  expect(stdout).toMatch(/^✗ refused +StorageClass\/manual .+\n✓ ships +Deployment\/web$/mu)
})

describe("a plan of which no workload is left", () => {
  const refusal = /PersistentVolumeClaim.+data.+ is invalid: spec\.accessModes/u
  const stuck = /its Pods need PersistentVolumeClaim.+data.*, which is refused/u

  it.each([
    { format: "table", beginning: "✗ refused: 1 refused, 1 stuck\n" },
    {
      format: "markdown",
      beginning: "<!-- charthouse plan -->\n### ✗ Rollout plan: refused\n\nDon't ship: "
    },
    { format: "junit", beginning: '<?xml version="1.0" encoding="UTF-8"?>' },
    { format: "github", beginning: "::error file=all.yaml,line=1," },
    { format: "html", beginning: "<!doctype html>" },
    { format: "sarif", beginning: "{\n" },
    { format: "json", beginning: "{\n" }
  ])("says in $format what is refused", async ({ format, beginning }) => {
    const args = ["plan", "-f", "all.yaml", "--seeds", "1", "-o", format]
    const files = { "all.yaml": `${wrongClaim}\n---\n${withClaim}` }
    const { code, stdout } = await charthouse(args, files)
    expect({ code, stdout }).toEqual({ code: 2, stdout: expect.stringMatching(refusal) })
    expect(stdout).toMatch(stuck)
    expect(stdout.slice(0, beginning.length)).toBe(beginning)
  })

  it("has no heading for its environments", async () => {
    const { code, stdout } = await charthouse(["plan", "-f", "all.yaml", "--seeds", "1"], {
      "all.yaml": `${wrongClaim}\n---\n${withClaim}`,
      "charthouse.yaml":
        "{ apiVersion: charthouse.dev/v1, kind: PlanSettings, spec: { environments: [{ name: test }, { name: production }] } }"
    })
    const heads = stdout.split("\n").filter((line) => /^(?:in |[✗✓!])/u.test(line))
    expect({ code, heads }).toEqual({
      code: 2,
      heads: ["✗ refused: 1 refused, 1 stuck", expect.stringMatching(refusal), expect.stringMatching(stuck)]
    })
  })

  it.each([
    { why: "needs a refused object", documents: [wrongClaim, withClaim], refused: ["data", "web"] },
    { why: "is invalid", documents: [web.replace("name: web", "name: We_b")], refused: ["We_b"] },
    { why: "cannot be read", documents: [web.replace("replicas: 3", "replicas: three")], refused: ["web"] },
    {
      why: "has a removed version",
      documents: [web.replace("apps/v1", "extensions/v1beta1")],
      refused: ["web"]
    }
  ])("is JSON if the workload $why", async ({ documents, refused }) => {
    const args = ["plan", "-f", "all.yaml", "--seeds", "1", "-o", "json"]
    const { code, stdout } = await charthouse(args, { "all.yaml": documents.join("\n---\n") })
    const { verdict, verdicts, exitCode, ...json } = JSON.parse(stdout)
    expect({ code, verdict, verdicts, exitCode }).toEqual({
      code: 2,
      verdict: "stuck",
      verdicts: [],
      exitCode: 2
    })
    expect(json.refused.map(({ name }: { readonly name: string }) => name)).toEqual(refused)
  })

  it.each([["--shard", "1/2", "--runs", "-"], ["--exhaustive"]])(
    "has no runs and no proof: %s",
    async (...args) => {
      const { code, stdout, stderr } = await charthouse(["plan", "-f", "all.yaml", ...args], {
        "all.yaml": `${wrongClaim}\n---\n${withClaim}`
      })
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
      expect(stderr).toMatch(refusal)
    }
  )
})

describe("a custom resource", () => {
  const invalid = shopDefinition(", singular: A_Shop")
  const large = shopDefinition().replace("type: object", `type: object, description: ${"a".repeat(300_000)}`)
  const unreadable = shopDefinition(", shortNames: 7")

  it.each([
    {
      why: "is invalid",
      files: { "all.yaml": [invalid, shop, web] },
      refused: ["CustomResourceDefinition", "Shop"]
    },
    {
      why: "cannot be read",
      files: { "all.yaml": [unreadable, shop, web] },
      refused: ["CustomResourceDefinition", "Shop"]
    },
    {
      why: "is not reached",
      files: { "a.yaml": ["{ apiVersion: v1 }", shopDefinition()], "b.yaml": [shop, web] },
      refused: ["document", "CustomResourceDefinition", "Shop"]
    },
    { why: "is valid", files: { "all.yaml": [shopDefinition(), shop, web] }, refused: [] },
    {
      why: "is too large for the annotation of kubectl apply",
      files: { "all.yaml": [large, shop, web] },
      refused: []
    },
    {
      why: "is valid the second time",
      files: { "a.yaml": [unreadable], "b.yaml": [shopDefinition(), shop, web] },
      refused: ["CustomResourceDefinition"]
    }
  ])("is refused only if its definition is: it $why", async ({ files, refused }) => {
    const { rows } = await planned(files)
    expect(rows.map((row) => row.match(/(?<=^✗ refused {2})\w+/u)?.[0])).toEqual([...refused, undefined])
  })

  it("has no match, as kubectl says", async () => {
    const { rows } = await planned({ "all.yaml": [invalid, shop, web] })
    expect(rows[1]).toMatch(
      /^✗ refused {2}Shop\/one +no matches for kind "Shop" in version "example.com\/v1"$/u
    )
  })

  it("is left out if its definition was accepted before", async () => {
    const files = { "before.yaml": shopDefinition(), "next.yaml": [invalid, shop, web].join("\n---\n") }
    const args = ["plan", "--from", "before.yaml", "-f", "next.yaml", "--seeds", "1", "--what-if", "none"]
    const { stderr } = await charthouse(args, files)
    expect(stderr).toContain("Shop of example.com/v1 is left out")
  })
})
