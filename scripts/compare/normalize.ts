import { gunzipSync } from "node:zlib"

const recording =
  /<script type="application\/vnd\.charthouse\.recording" data-title="([^"]*)">([^<]*)<\/script>/g

/**
 * A page without its program, its style sheets and the drawn charts, which are bundled from the sources and have names
 * of their own, and each recording in it as a text.
 */
export const splitPage = (name: string, text: string): ReadonlyArray<readonly [string, string]> => {
  if (!text.startsWith("<!doctype html>")) return [[name, text]]
  const recordings: Array<readonly [string, string]> = []
  const page = text
    .replaceAll(recording, (_, title: string, base64: string) => {
      const content = gunzipSync(Buffer.from(base64, "base64")).toString()
      recordings.push([`${name}.${recordings.length}.recording`, `${title}\n${content}`])
      return `[recording ${title}]`
    })
    .replaceAll(/<script type="module">[^]*?<\/script>/g, "[script]")
    .replaceAll(/<template data-chart="([^"]*)">[^]*?<\/template>/g, "[chart $1]")
    .replaceAll(/<style>[^]*?<\/style>/g, "[style]")
  return [[name, page], ...recordings]
}

/**
 * What differs from run to run of one tree, and the places of a drawing: a longer sentence needs a larger box, so that
 * only a drawing's words are compared, in their order.
 */
export const withoutChance = (text: string): string =>
  (/^(<\?xml[^>]*>\s*)?<svg/.test(text) ? text.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ") : text)
    .replaceAll("&apos;", "'")
    .replaceAll(/(127\.0\.0\.1|localhost):\d{2,5}\b/g, "$1:PORT")
    .replaceAll(/('|&#39;)sha256-[\w+/=]*\1/g, "[hash]")
    .replaceAll(/\bchunk-[\dA-Z]{8}\.js/g, "chunk.js")
    .replaceAll(/"id":"(\d+-[\da-z]+-\d+)-[\w-]{8}"/g, '"id":"$1-ID"')

/** Completions quote their descriptions for a shell. */
export const withoutQuoting = (text: string): string =>
  text.replaceAll("'\\''", "'").replaceAll(/\\([':[\]])/g, "$1")
