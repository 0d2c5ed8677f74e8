import { describe, expect, it } from "vitest"
import { charthouse, deploymentYaml } from "../harness/charthouse.ts"
import { planned } from "./plannedRows.ts"

const cronJob = (schedule: string) => `
apiVersion: batch/v1
kind: CronJob
metadata: { name: nightly }
spec:
  schedule: "${schedule}"
  jobTemplate: { spec: { template: { spec: { restartPolicy: Never, containers: [{ name: app, image: "app:1" }] } } } }
`
const statefulSet = deploymentYaml({ name: "db", image: "db:1" }).replace("Deployment", "StatefulSet")
const twoPorts =
  "{ apiVersion: v1, kind: Service, metadata: { name: web }, spec: { selector: { app: web }, ports: [{ port: 80 }, { port: 81 }] } }"

describe("what plan says of an invalid manifest", () => {
  it.each([
    {
      why: "has a line for each wrong field, as kubectl prints them",
      text: `${deploymentYaml({ name: "web", image: "app:1" })}\n---\n${twoPorts}`,
      stderr: [
        /^web\.yaml:\d+:\d+: The Service "web" is invalid: $/,
        /^\* spec\.ports\[0\]\.name: Required value$/,
        /^\* spec\.ports\[1\]\.name: Required value$/
      ]
    },
    {
      why: "comes before the lack of a rollout",
      text: cronJob("every day"),
      stderr: [
        /^web\.yaml:\d+:\d+: The CronJob "nightly" is invalid: spec\.schedule: Invalid value: "every day": .+$/
      ]
    },
    {
      why: "comes before the lack of a Deployment to explore",
      text: `${statefulSet}\n---\n${twoPorts}`,
      args: ["--exhaustive"],
      stderr: [
        /^web\.yaml:\d+:\d+: The Service "web" is invalid: $/,
        /^\* spec\.ports\[0\]\.name: Required value$/,
        /^\* spec\.ports\[1\]\.name: Required value$/
      ]
    },
    {
      why: "is about the objects of the file where the name of a Namespace or an account is a variable",
      text: [
        statefulSet.replace("name: db", 'name: db\n  namespace: "${SPACE}"'),
        deploymentYaml({ image: "app:1", more: "      serviceAccountName: ${ACCOUNT}" })
      ].join("\n---\n"),
      stderr: [
        /^web\.yaml:\d+:\d+: Error from server \(NotFound\): namespaces "\$\{SPACE\}" not found$/,
        /^web\.yaml:\d+:\d+: The Deployment "web" is invalid: spec\.template\.spec\.serviceAccountName: .+$/
      ]
    },
    {
      why: "is nothing where only the rollout is missing",
      text: cronJob("0 3 * * *"),
      stderr: [/^error: web\.yaml has no Deployment, .+ so that there is no rollout to plan$/]
    }
  ])("$why", async ({ text, args = ["--seeds", "1"], stderr }) => {
    const result = await charthouse(["plan", "-f", "web.yaml", ...args], { "web.yaml": text })
    expect({ code: result.code, lines: result.stderr.trimEnd().split("\n") }).toEqual({
      code: 2,
      lines: stderr.map((line) => expect.stringMatching(line))
    })
  })
})

const web = deploymentYaml({ name: "web", image: "app:1" })
const wrongClaim =
  "{ apiVersion: v1, kind: PersistentVolumeClaim, metadata: { name: data }, spec: { accessModes: [ReadWriteTwice], resources: { requests: { storage: 1Gi } } } }"

describe("a plan of manifests of which the API server refuses some", () => {
  const needing = (config: string): string =>
    deploymentYaml({ image: "app:1", more: `          envFrom: [{ configMapRef: { name: ${config} } }]` })
  const wrongConfig = "{ apiVersion: v1, kind: ConfigMap, metadata: { name: settings }, data: { port: 80 } }"
  const config = wrongConfig.replace("80", '"80"')
  const old = web.replace("apps/v1", "extensions/v1beta1").replaceAll("web", "old")
  const claiming = deploymentYaml({
    image: "app:1",
    more: "      volumes: [{ name: data, persistentVolumeClaim: { claimName: data } }]"
  })
  const lineOf = (verdict: string, title: string, message: string): string =>
    `✗ ${verdict.padEnd(7)}  ${title}  ${message}`

  it.each([
    {
      why: "a workload of a version that is no longer served",
      texts: [web, old],
      lines: [
        "✗ refused: 1 refused, 1 ships",
        lineOf(
          "refused",
          "Deployment/old",
          'no matches for kind "Deployment" in version "extensions/v1beta1"'
        )
      ]
    },
    {
      why: "an Ingress and a PodDisruptionBudget of versions that are no longer served",
      texts: [
        web,
        "{ apiVersion: extensions/v1beta1, kind: Ingress, metadata: { name: web }, spec: {} }",
        "{ apiVersion: policy/v1beta1, kind: PodDisruptionBudget, metadata: { name: web }, spec: {} }"
      ],
      lines: [
        "✗ refused: 2 refused, 1 ships",
        lineOf(
          "refused",
          "Ingress/web            ",
          'no matches for kind "Ingress" in version "extensions/v1beta1"'
        ),
        lineOf(
          "refused",
          "PodDisruptionBudget/web",
          'no matches for kind "PodDisruptionBudget" in version "policy/v1beta1"'
        )
      ]
    },
    {
      why: "a Service with two wrong fields",
      texts: [twoPorts, web],
      lines: [
        "✗ refused: 1 refused, 1 ships",
        lineOf(
          "refused",
          "Service/web   ",
          'The Service "web" is invalid: spec.ports[0].name: Required value; spec.ports[1].name: Required value'
        )
      ]
    },
    {
      why: "a ConfigMap that another workload needs",
      texts: [web.replaceAll("web", "api"), needing("settings"), wrongConfig],
      lines: [
        "✗ refused: 1 refused, 1 stuck, 1 ships",
        lineOf(
          "refused",
          "ConfigMap/settings",
          'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string'
        ),
        lineOf("stuck", "Deployment/web    ", "its Pods need ConfigMap/settings, which is refused")
      ]
    },
    {
      why: "a claim that another workload needs",
      texts: [web.replaceAll("web", "api"), claiming, wrongClaim],
      lines: [
        "✗ refused: 1 refused, 1 stuck, 1 ships",
        lineOf(
          "refused",
          "PersistentVolumeClaim/data",
          'The PersistentVolumeClaim "data" is invalid: spec.accessModes: Unsupported value: "ReadWriteTwice": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"'
        ),
        lineOf(
          "stuck",
          "Deployment/web            ",
          "its Pods need PersistentVolumeClaim/data, which is refused"
        )
      ]
    }
  ])("has a verdict beside $why", async ({ texts, lines }) => {
    const args = ["plan", "-f", "all.yaml", "--seeds", "1", "--what-if", "none"]
    const { code, stdout } = await charthouse(args, { "all.yaml": texts.join("\n---\n") })
    const printed = stdout.split("\n").filter((line) => line.startsWith("✗"))
    expect({ code, printed }).toEqual({ code: 2, printed: lines })
    expect(stdout).toMatch(/^✓ ships {4}Deployment\/(web|api)/mu)
  })

  it.each([
    { why: "that cannot be read", value: '"high"' },
    { why: "that is invalid", value: "3000000000" }
  ])("has no namespace for a PriorityClass $why", async ({ value }) => {
    const wrongClass = `{ apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: { name: top }, value: ${value} }`
    const args = ["plan", "-f", "all.yaml", "--seeds", "1", "--what-if", "none", "-o", "json"]
    const { stdout } = await charthouse(args, { "all.yaml": `${wrongClass}\n---\n${web}` })
    expect(JSON.parse(stdout).refused).toEqual([
      expect.objectContaining({ kind: "PriorityClass", name: "top", namespace: null })
    ])
  })

  it("has one row for each refused object, however many environments there are", async () => {
    const { stdout } = await charthouse(["plan", "-f", "all.yaml", "--seeds", "1", "--what-if", "none"], {
      "all.yaml": `${web}\n---\n${twoPorts}`,
      "charthouse.yaml":
        "apiVersion: charthouse.dev/v1\nkind: PlanSettings\nspec: { environments: [{ name: test }, { name: production }] }\n"
    })
    const heads = stdout.split("\n").filter((line) => /^(?:in |[✗✓!])/u.test(line))
    expect(heads).toEqual([
      "✗ refused: 1 refused",
      expect.stringMatching(/^✗ refused {2}Service\/web /u),
      "in test",
      expect.stringMatching(/^✓ ships/u),
      "in production",
      expect.stringMatching(/^✓ ships/u)
    ])
  })

  it("lists refused objects in the order of the file, although Namespaces are applied first", async () => {
    const wrongNamespace = "{ apiVersion: v1, kind: Namespace, metadata: { name: Shop } }"
    const { code, stderr } = await charthouse(["plan", "-f", "all.yaml", "--seeds", "1"], {
      "all.yaml": [web, twoPorts, wrongNamespace].join("\n---\n")
    })
    expect({ code, kinds: stderr.match(/(?<=The )\w+/gu) }).toEqual({
      code: 2,
      kinds: ["Service", "Namespace"]
    })
  })

  it.each([
    {
      why: "the ConfigMap is there from before",
      before: [needing("settings"), config],
      code: 2,
      stdout: /^✓ ships/mu
    },
    {
      why: "the selector of all is immutable",
      before: [needing("settings").replaceAll("app: web", "app: old")],
      code: 2,
      stdout: /^✗ refused: 2 refused\n/u
    }
  ])("exits with $code when $why", async ({ before, code, stdout }) => {
    const result = await charthouse(
      ["plan", "-f", "all.yaml", "--from", "before.yaml", "--seeds", "1", "--what-if", "none"],
      {
        "all.yaml": [needing("settings"), wrongConfig].join("\n---\n"),
        "before.yaml": before.join("\n---\n")
      }
    )
    expect({ code: result.code, stdout: result.stdout }).toEqual({
      code,
      stdout: expect.stringMatching(stdout)
    })
  })

  it.each([
    { why: "that cannot be read", labels: "7" },
    { why: "that is invalid", labels: '{ "a b": c }' }
  ])("has no verdict on what is in a new Namespace $why", async ({ labels }) => {
    const shop = `{ apiVersion: v1, kind: Namespace, metadata: { name: shop, labels: ${labels} } }`
    const inShop = (text: string): string => text.replace("metadata:\n", "metadata:\n  namespace: shop\n")
    const refused = [
      expect.stringMatching(/^✗ refused {2}Namespace\/shop /u),
      expect.stringMatching(/^✗ refused {2}Deployment\/shop\/web {2}.*namespaces "shop" not found$/u)
    ]
    const all = await planned({ "all.yaml": [shop, inShop(web), web.replaceAll("web", "api")] })
    expect(all).toEqual({
      code: 2,
      rows: [...refused, expect.stringMatching(/^✓ ships {4}Deployment\/api/u)]
    })
    expect(await planned({ "all.yaml": [shop, inShop(web)] })).toEqual({ code: 2, rows: refused })
  })

  const claimOf = (fields: string): string =>
    `{ apiVersion: v1, kind: PersistentVolumeClaim, metadata: { name: data }, spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } }, ${fields} } }`
  const volume = (fields: string): string =>
    `{ apiVersion: v1, kind: PersistentVolume, metadata: { name: disk }, spec: { accessModes: [ReadWriteOnce], capacity: { storage: 1Gi }, storageClassName: manual, ${fields} } }`
  it.each([
    {
      needed: "StorageClass/fast",
      wrong:
        "{ apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: { name: fast }, provisioner: 7 }",
      needing: [claiming, claimOf("storageClassName: fast")]
    },
    {
      needed: "StorageClass/fast",
      wrong:
        '{ apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: { name: fast }, provisioner: "" }',
      needing: [claiming, claimOf("storageClassName: fast")]
    },
    {
      needed: "PersistentVolume/disk",
      wrong: volume("hostPath: { path: 7 }"),
      needing: [claiming, claimOf("storageClassName: manual")]
    },
    {
      needed: "PersistentVolume/disk",
      wrong: volume("hostPath: { path: 7 }")
        .replace("storageClassName: manual, ", "")
        .replace(
          "name: disk",
          "name: disk, annotations: { volume.beta.kubernetes.io/storage-class: manual }"
        ),
      needing: [claiming, claimOf("storageClassName: manual")]
    },
    {
      needed: "PersistentVolume/disk",
      wrong: volume("persistentVolumeReclaimPolicy: Retain"),
      needing: [claiming, claimOf('storageClassName: "", volumeName: disk')]
    },
    {
      needed: "RuntimeClass/gvisor",
      wrong: "{ apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: { name: gvisor }, handler: 7 }",
      needing: [deploymentYaml({ image: "app:1", more: "      runtimeClassName: gvisor" })]
    }
  ])("has a verdict beside $needed and what needs it", async ({ needed, wrong, needing: texts }) => {
    const { code, rows } = await planned({ "all.yaml": [web.replaceAll("web", "api"), ...texts, wrong] })
    expect({ code, rows: rows.map((row) => row.replace(/ +/gu, " ")) }).toEqual({
      code: 2,
      rows: [
        expect.stringContaining(`✗ refused ${needed} `),
        `✗ stuck Deployment/web its Pods need ${needed}, which is refused`,
        "✓ ships Deployment/api"
      ]
    })
  })

  it("lets Pods start without a refused Secret that only their images may need", async () => {
    const secret = "{ apiVersion: v1, kind: Secret, metadata: { name: registry }, data: { a: 7 } }"
    const pulling = deploymentYaml({ image: "app:1", more: "      imagePullSecrets: [{ name: registry }]" })
    const args = ["plan", "-f", "all.yaml", "--seeds", "1", "--what-if", "none"]
    const { code, stdout, stderr } = await charthouse(args, { "all.yaml": `${secret}\n---\n${pulling}` })
    expect({ code, stdout }).toEqual({
      code: 2,
      stdout: expect.stringMatching(/^✗ refused +Secret\/registry .+\n✓ ships +Deployment\/web$/mu)
    })
    // The Secret is not assumed to exist.
    expect(stderr).not.toContain("warning:")
  })

  it("takes the claims of another StatefulSet for no claims of a new one", async () => {
    const claiming = (name: string, className: string) => `${statefulSet.replaceAll("db", name)}
  volumeClaimTemplates:
    - metadata: { name: data }
      spec: { storageClassName: ${className}, accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }`
    const wrong =
      '{ apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: { name: fast }, provisioner: "" }'
    const before = claiming("old", "slow")
    const texts = [before.replace("old:1", "old:2"), claiming("new", "fast"), wrong]
    const args = ["--from", "before.yaml", "-f", "all.yaml", "--seeds", "1", "--what-if", "none"]
    const files = { "before.yaml": before, "all.yaml": texts.join("\n---\n") }
    const { stdout } = await charthouse(["plan", ...args], files)
    expect(stdout).toMatch(
      /^✗ stuck +StatefulSet\/new +its Pods need StorageClass\/fast, which is refused$/mu
    )
  })

  it("lets the class of a refused disk of a driver provision another one", async () => {
    const wrong = volume("csi: { driver: ebs.csi.aws.com }")
    const claim = claimOf("storageClassName: manual").replace("ReadWriteOnce", "ReadWriteMany")
    const texts = [wrong, claim, claiming]
    const { rows } = await planned({ "all.yaml": texts })
    expect(rows).toEqual([
      expect.stringContaining("refused  PersistentVolume/disk"),
      expect.stringContaining("✓ ships    Deployment/web")
    ])
  })

  it.each([
    ["CustomResourceDefinition/shops", "apiextensions.k8s.io/v1"],
    ["Node/n1", "v1"]
  ])("has a verdict beside a refused %s", async (title, apiVersion) => {
    const [kind, name] = title.split("/")
    const wrong = `{ apiVersion: ${apiVersion}, kind: ${kind}, metadata: { name: ${name}, labels: 7 } }`
    expect(await planned({ "all.yaml": [wrong, web] })).toEqual({
      code: 2,
      rows: [expect.stringContaining(title), expect.stringMatching(/^✓ ships {4}Deployment\/web/u)]
    })
  })

  it.each([
    { why: "is no YAML", wrong: "metadata: { name: x" },
    { why: "is no object", wrong: "hello" },
    { why: "has no kind", wrong: "{ apiVersion: v1, metadata: { labels: { a: b } } }" },
    { why: "has an item without a kind", wrong: "{ apiVersion: v1, kind: List, items: [{}] }" },
    { why: "has no list of items", wrong: "{ apiVersion: v1, kind: List, items: {} }" }
  ])("ends a file where a document $why, as kubectl does, and no other file", async ({ wrong }) => {
    const files = { "a.yaml": [web, wrong, config], "b.yaml": [web.replaceAll("web", "api")] }
    expect(await planned(files)).toEqual({
      code: 2,
      rows: [
        expect.stringMatching(/^✗ refused {2}document 2 of a\.yaml /u),
        expect.stringMatching(
          /^✗ refused {2}ConfigMap\/settings {4}kubectl apply does not reach it: it stops at a\.yaml:\d+:\d+$/u
        ),
        expect.stringMatching(/^✓ ships {4}Deployment\/web/u),
        expect.stringMatching(/^✓ ships {4}Deployment\/api/u)
      ]
    })
  })

  it("has no name for a document that says none", async () => {
    const generated = "{ apiVersion: v1, kind: ConfigMap, metadata: { generateName: settings- } }"
    const { rows } = await planned({ "all.yaml": [web, generated, config] })
    expect(rows).toEqual([
      expect.stringMatching(/^✗ refused {2}document 2 of all\.yaml .* cannot use generate name with apply$/u),
      expect.stringMatching(/^✓ ships/u)
    ])
  })
})
