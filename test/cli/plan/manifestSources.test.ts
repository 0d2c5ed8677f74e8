import { createServer } from "node:http"
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import type { AddressInfo } from "node:net"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { findHelm, findKubectls } from "../../../scripts/kubectl.ts"
import { manifestSources, type ManifestFlags } from "../../../src/cli/input/manifestSources.ts"
import { readInput } from "../../../src/cli/input/readInput.ts"
import { charthouse, deploymentYaml } from "../harness/charthouse.ts"

const yamlOf = (name: string): string => deploymentYaml({ name, image: `${name}:1` })

const files = {
  "tree/web.yaml": yamlOf("web"),
  "tree/below/api.yml": yamlOf("api"),
  "tree/below/further/db.json": JSON.stringify({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "db" }
  }),
  "base/kustomization.yaml":
    "resources: [web.yaml]\nimages: [{ name: web, newTag: '7' }]\nnameSuffix: -blue\n",
  "base/web.yaml": yamlOf("web"),
  "repeated/kustomization.yaml": "resources: [web.yaml]\n",
  "repeated/web.yaml": `${yamlOf("web")}          image: web:2\n`,
  "shop/Chart.yaml": "apiVersion: v2\nname: shop\nversion: 0.1.0\n",
  "shop/values.yaml": "image: web:1\n",
  "shop/templates/web.yaml": yamlOf("web")
    .replace("web:1", "{{ .Values.image }}")
    .replace("name: web", "name: {{ .Release.Name }}"),
  "green.yaml": "image: web:green\n",
  "web.yaml": yamlOf("web")
}

let folder: string
let searchPath: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "charthouse-sources-"))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  const { found } = await findKubectls()
  const programs = [found[0]?.path, await findHelm()].flatMap((it) => (it === undefined ? [] : [dirname(it)]))
  searchPath = process.env["PATH"] ?? ""
  process.env["PATH"] = [...programs, searchPath].join(":")
})
afterAll(async () => {
  process.env["PATH"] = searchPath
  await rm(folder, { recursive: true })
})

const at = (name: string): string => join(folder, name)

/** What is read: each object with its first image, and each warning; or the errors. */
const read = (flags: ManifestFlags): Promise<ReadonlyArray<string>> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const sources = yield* manifestSources(flags)
      const { files, warnings } = yield* readInput({ files: [sources], behaviour: undefined })
      const objects = files.flatMap(({ documents }) => documents.map(({ draft }) => draft))
      return [...objects.map(objectText), ...warnings.map((warning) => `warning: ${withoutFolder(warning)}`)]
    }).pipe(Effect.catchTag("BadInput", ({ lines }) => Effect.succeed(lines.map(withoutFolder))))
  )

const objectText = (draft: {
  readonly kind: string
  readonly metadata: { readonly name?: string }
}): string => {
  const image = /"image":"([^"]*)"/.exec(JSON.stringify(draft))?.[1]
  return `${draft.kind} ${draft.metadata.name}${image === undefined ? "" : ` ${image}`}`
}

const withoutFolder = (text: string): string => text.replaceAll(`${folder}/`, "")

describe("manifests come from", () => {
  it("a folder, without the folders in it", async () => {
    expect(await read({ files: [at("tree")] })).toEqual(["Deployment web web:1"])
  })

  it("a folder with the folders in it, with -R, each by name", async () => {
    expect(await read({ files: [at("tree")], recursive: true })).toEqual([
      "Deployment api api:1",
      "Secret db",
      "Deployment web web:1"
    ])
  })

  it("a folder with a kustomization, by -k or -f, as kubectl builds it", async () => {
    const built = ["Deployment web-blue web:7"]
    expect(await read({ files: [], kustomizations: [at("base")] })).toEqual(built)
    expect(await read({ files: [at("base")] })).toEqual(built)
  })

  it("a chart with its values, as Helm renders it", async () => {
    expect(await read({ files: [], helmCharts: [at("shop")] })).toEqual(["Deployment shop web:1"])
    expect(await read({ files: [], helmCharts: [at("shop")], helmValues: [at("green.yaml")] })).toEqual([
      "Deployment shop web:green"
    ])
  })

  it("an address", async () => {
    await withServer(
      (_asked) => ({ code: 200, text: yamlOf("far") }),
      async (url) => expect(await read({ files: [url] })).toEqual(["Deployment far far:1"])
    )
  })

  it("an address whose server fails twice, and no more often", async () => {
    await withServer(
      (requestCount) => (requestCount < 3 ? { code: 503, text: "" } : { code: 200, text: yamlOf("far") }),
      async (url) => expect(await read({ files: [url] })).toEqual(["Deployment far far:1"])
    )
  })
})

describe("what cannot be read is refused:", () => {
  it("a kustomization that kustomize refuses, in its words", async () => {
    const lines = await read({ files: [], kustomizations: [at("tree")] })
    expect(lines[0]).toBe("error: kubectl kustomize tree failed")
    expect(lines.join("\n")).toContain(
      "unable to find one of 'kustomization.yaml', 'kustomization.yml' or 'Kustomization'"
    )
  })

  it("a kustomization whose file repeats a field, which -f takes with a warning", async () => {
    const lines = await read({ files: [], kustomizations: [at("repeated")] })
    expect(lines.join("\n")).toContain('"image" already defined')
    expect(await read({ files: [at("repeated/web.yaml")] })).toEqual([
      "Deployment web web:2",
      'warning: repeated/web.yaml:18:11: duplicate field "spec.template.spec.containers[0].image": the last one holds'
    ])
  })

  it("a kustomization or a chart where no program renders it", async () => {
    const before = process.env["PATH"]
    process.env["PATH"] = folder
    expect(await read({ files: [], kustomizations: [at("base")] })).toEqual([
      'error: the kustomization in "base" is rendered by kubectl or kustomize, and none is on the PATH'
    ])
    expect(await read({ files: [], helmCharts: [at("shop")] })).toEqual([
      'error: the chart "shop" is rendered by helm, and none is on the PATH'
    ])
    process.env["PATH"] = before
  })

  it.each([
    { why: "may not be run", mode: 0o644, script: "", says: "permission denied" },
    { why: "is ended", mode: 0o755, script: "echo half; kill -9 $$", says: "it was ended by SIGKILL" }
  ])("a chart whose program $why", async ({ mode, script, says }) => {
    const before = process.env["PATH"]
    const programFolder = await mkdtemp(join(folder, "bin-"))
    await writeFile(join(programFolder, "helm"), `#!/bin/sh\n${script}\n`, { mode })
    process.env["PATH"] = programFolder
    try {
      expect(await read({ files: [], helmCharts: [at("shop")] })).toEqual([
        "error: helm template shop shop --include-crds failed",
        says
      ])
    } finally {
      process.env["PATH"] = before
    }
  })

  it("an address that the server does not know", async () => {
    await withServer(
      () => ({ code: 404, text: "" }),
      async (url) =>
        expect(await read({ files: [url] })).toEqual([
          `error: unable to read URL "${url}", server reported 404 Not Found, status code=404`
        ])
    )
  })
})

/** Serves answers on this machine; `requestCount` includes the request to answer. */
const withServer = async (
  answer: (requestCount: number) => { readonly code: number; readonly text: string },
  use: (url: string) => Promise<void>
): Promise<void> => {
  let requestCount = 0
  const server = createServer((_request, response) => {
    requestCount += 1
    const { code, text } = answer(requestCount)
    response.writeHead(code).end(text)
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const { port } = server.address() as AddressInfo
  try {
    await use(`http://127.0.0.1:${port}/web.yaml`)
  } finally {
    server.close()
  }
}

describe("a plan with --server-side", () => {
  /** More than an annotation may have. */
  const large = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "large" },
    data: { k: "-".repeat(300_000) }
  }
  const objects = { "web.yaml": yamlOf("web"), "large.json": JSON.stringify(large) }

  it("takes an object that is too large for the annotation of what was applied last", async () => {
    const plan = ["plan", "--seeds", "1", "-f", "web.yaml", "-f", "large.json"]
    expect(await charthouse(plan, objects)).toMatchObject({
      code: 0,
      stderr: "warning: ConfigMap/large is too large for kubectl apply, and planned as with --server-side\n"
    })
    expect(await charthouse([...plan, "--server-side"], objects)).toMatchObject({ code: 0, stderr: "" })
  })

  it("removes a field that is no longer in the manifest", async () => {
    const paused = {
      ...objects,
      "before.yaml": `${yamlOf("web")}  paused: true\n  progressDeadlineSeconds: 77\n`
    }
    const { code, stdout } = await charthouse(
      ["plan", "--seeds", "1", "-o", "json", "-f", "web.yaml", "--from", "before.yaml", "--server-side"],
      paused
    )
    expect({ code, outcome: JSON.parse(stdout).rollouts[0].stuck }).toEqual({ code: 0, outcome: 0 })
  })
})
