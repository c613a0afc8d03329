from .elements import Elements

raise SystemExit("a remote script must not be run")


def get_capabilities():
    return {"id": controller_id(vendor_id=4660, product_ids=[1, 2], model_name=["Acme Keys 25"])}
