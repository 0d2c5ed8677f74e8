import { readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { badInput } from "./badInput.ts"
import type { BadInput } from "./badInput.ts"

const manifestName = /\.(ya?ml|json)$/

/**
 * Replaces each folder by the manifests in it, sorted by name. Missing paths stay: reading them reports the error.
 *
 * Source: staging/src/k8s.io/cli-runtime/pkg/resource/builder.go (the extensions that are read).
 */
export const manifestFilesIn = (
  paths: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<string>, BadInput> =>
  Effect.map(Effect.forEach(paths, filesAt), (files) => files.flat())

const filesAt = (path: string): Effect.Effect<ReadonlyArray<string>, BadInput> =>
  Effect.gen(function* () {
    const stats = yield* Effect.promise(() => stat(path).catch(() => undefined))
    if (stats?.isDirectory() !== true) return [path]
    const entries = yield* Effect.tryPromise({
      try: () => readdir(path, { withFileTypes: true }),
      catch: () => badInput(`the folder ${JSON.stringify(path)} cannot be read`)
    })
    const files = entries.filter((entry) => entry.isFile() && manifestName.test(entry.name))
    if (files.length > 0) return files.map(({ name }) => join(path, name)).sort()
    return yield* badInput(`the folder ${JSON.stringify(path)} has no .yaml, .yml or .json file in it`)
  })
